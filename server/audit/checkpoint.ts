import { Checkpoint, CheckpointInput } from '#lib/schemas/audit.ts'
import { currentVerifierKey, noteReader } from '#server/audit/notes/checkpoint-note.ts'
import { query } from '#server/kernel/operation.ts'
import { findDay, findLastClosed, findLatestCheckpoint, today } from './store.ts'

/** Returns the last signed checkpoint of a day, its verifier key, the current number of records, and the closed day before it. */
export const checkpoint = query({
  permission: 'any',
  input: CheckpointInput,
  output: Checkpoint,
  async run({ tx, tenant, input }) {
    const date = input.date ?? (await today(tx))
    const day = await findDay(tx, tenant.id, date)
    const last = await findLatestCheckpoint(tx, tenant.id, date)
    const note = last === undefined ? undefined : (await noteReader(tx, tenant))(date, last.note)
    const closed = await findLastClosed(tx, tenant.id, date)
    return {
      date,
      size: last?.size ?? 0,
      merkleRoot: last?.root.toString('hex') ?? null,
      checkpoint: last?.note ?? null,
      createdAt: last?.createdAt.toISOString() ?? null,
      verifierKey: note?.ok ? note.verifierKey : await currentVerifierKey(tx, tenant, date),
      records: day?.size ?? 0,
      lastClosed:
        closed === undefined
          ? null
          : {
              date: closed.date,
              size: closed.size,
              merkleRoot: closed.root.toString('hex'),
              closedAt: closed.sealedAt.toISOString(),
              inSealLog: closed.inSealLog,
            },
    }
  },
})
