import { addStates, appendAudit, type RecordedState, systemActor } from '#server/kernel/audit/append.ts'
import { type Bind, type Binder, bindWith, type Transaction } from '#server/kernel/db/closing.ts'
import { type TenantCipher, tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { adoptionOfType } from './adopted.ts'
import { findExternalId } from './adoption-store.ts'
import { whyTampered } from './check.ts'
import { differenceIn, IntegrityFailed, reportTampered } from './integrity-failed.ts'
import { concludingStatement } from './known.ts'
import { hasRightMac, rowDigest, stateMac } from './state.ts'
import { forgetTouched, readTouched, type Touched, writeStates } from './store.ts'
import { type BoundType, form, type KnownRow, type StoredState } from './types.ts'

/** A record with more states would be hard to read, and its row large. */
const mostStates = 500

/** The next state of an object, before it has a record. */
export type Change = { type: string; id: string; revision: number; digest: Buffer | null }

/** Binds the rows of evidence that transactions write from here on. Called when a process starts. */
export const bindRows = (): void => bindWith(binder)

const binder: Binder = {
  async read(tx, written) {
    const touched = await readTouched(tx, written)
    return () => bindTouched(tx, touched)
  },
  async bindKnown(tx, { tenantId, call, rows, bound: told }) {
    const cipher = await tenantCipher(tx, tenantId)
    const changes = rows.map((row) => knownChange(cipher, row))
    const recorded = await statesOf(tx, tenantId, cipher, changes, 'state.recorded')
    told?.(recorded)
    const states = writeStates(tenantId, recorded)
    return (append) => concludingStatement(call, states, append)
  },
  forget: (tx, written) =>
    forgetTouched(
      tx,
      written.map(({ table }) => table),
    ),
  async failed(error) {
    if (error instanceof IntegrityFailed) await reportTampered(error.tampered)
  },
}

async function bindTouched(tx: Transaction, touched: ReadonlyMap<BoundType, readonly Touched[]>): ReturnType<Bind> {
  const tenantId = [...touched.values()].flat()[0]?.tenantId
  if (tenantId === undefined) return undefined
  const [cipher, found] = await Promise.all([
    tenantCipher(tx, tenantId),
    Promise.all(
      [...touched].map(async ([bound, rows]) => ({
        bound,
        rows,
        adoption: await adoptionOfType(tx, tenantId, bound),
      })),
    ),
  ])
  const changes = found.flatMap(({ bound, rows, adoption }) =>
    rows.flatMap((row) => {
      const reason = adoption === 'open' ? undefined : whyTamperedBefore(cipher, bound, row)
      if (reason !== undefined) throw differenceIn(adoption, { tenantId, type: bound.type, id: row.id, reason })
      return changeOf(cipher, bound, row) ?? []
    }),
  )
  return changes.length === 0 ? undefined : await recordChanges(tx, tenantId, cipher, changes, 'state.recorded')
}

/** Why the row that a transaction has changed was not the bound one before: its change would hide that. */
const whyTamperedBefore = (cipher: TenantCipher, bound: BoundType, { id, before, bound: state }: Touched) =>
  whyTampered(cipher, bound, { id, row: before, bound: state })

/** Of a row that the process is about to change: there is nothing to compare it with. */
function knownChange(cipher: TenantCipher, { bound, id, row, before }: KnownRow): Change {
  const revision = (before?.revision ?? 0) + 1
  return { type: bound.type, id, revision, digest: rowDigest(cipher, bound, id, revision, row) }
}

/** Undefined if nothing that the state contains has changed. */
function changeOf(
  cipher: TenantCipher,
  bound: BoundType,
  { id, row, bound: state }: Pick<Touched, 'id' | 'row' | 'bound'>,
): Change | undefined {
  const { type } = bound
  if (row === null)
    return state === null || state.digest === null
      ? undefined
      : { type, id, revision: state.revision + 1, digest: null }
  if (
    state !== null &&
    state.form === form &&
    state.digest !== null &&
    rowDigest(cipher, bound, id, state.revision, row).equals(state.digest) &&
    hasRightMac(cipher, type, id, state)
  )
    return undefined
  const revision = (state?.revision ?? 0) + 1
  return { type, id, revision, digest: rowDigest(cipher, bound, id, revision, row) }
}

/** The change that binds a row as it is now, whatever wrote it; undefined if it is bound. */
export const changeToAdopt = changeOf

/**
 * Adds the new states to the transaction's last record, or to records of their own (`action`), and returns the statement that
 * stores them.
 */
export const recordChanges = async (...given: Parameters<typeof statesOf>): Promise<ReturnType<typeof writeStates>> =>
  writeStates(given[1], await statesOf(...given))

/** The same, without the statement. */
async function statesOf(
  tx: Transaction,
  tenantId: string,
  cipher: TenantCipher,
  changes: readonly Change[],
  action: 'state.recorded' | 'state.adopted',
): Promise<StoredState[]> {
  const sorted = changes.toSorted((a, b) => compare(a.type, b.type) || compare(a.id, b.id))
  const states: StoredState[] = []
  for (let at = 0; at < sorted.length; at += mostStates) {
    const part = sorted.slice(at, at + mostStates)
    const recorded = part.map(recordedState)
    const auditId = (at === 0 ? addStates(tx, recorded) : undefined) ?? (await record(tx, tenantId, recorded, action))
    for (const change of part) {
      const state = { form, revision: change.revision, digest: change.digest, auditId }
      states.push({ ...state, type: change.type, id: change.id, mac: stateMac(cipher, change.type, change.id, state) })
    }
  }
  return states
}

const recordedState = ({ type, id, revision, digest }: Change): RecordedState => ({
  type,
  id,
  revision,
  form,
  digest: digest === null ? null : `sha256:${digest.toString('hex')}`,
})

async function record(
  tx: Transaction,
  tenantId: string,
  states: readonly RecordedState[],
  action: string,
): Promise<string> {
  const [only, ...others] = states
  const externalId = await findExternalId(tx, tenantId)
  await appendAudit(
    tx,
    { id: tenantId, externalId },
    {
      actor: systemActor,
      action,
      resource:
        only !== undefined && others.length === 0 ? { type: only.type, id: only.id } : { type: 'tenant', id: tenantId },
    },
  )
  const auditId = addStates(tx, states)
  if (auditId === undefined) throw new Error('unreachable: the transaction has a record')
  return auditId
}

// By code unit, as canonical JSON sorts keys.
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
