import { z } from 'zod'
import type { Showable } from '#lib/rules/partial-mask.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { notify, topicOf } from '#server/kernel/db/notify.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { runtime } from '#server/kernel/runtime.ts'
import type { TraceKey } from '#server/traces/store.ts'
import { deleteOldPartials, deletePartial, listPartials, setPartial } from './partial-store.ts'

// The partial answer of a model, for readers that follow the trace during the call. It is not a record: one encrypted row is
// rewritten while the call runs, and deleted at its end. The span stores the complete answer.

/** Pieces within this time share one write and one notification. */
const coalescedMs = 200
/** The longest stored text, in UTF-16 code units. Of a longer text, the end is stored. */
const mostLength = 16 * 1024
/** A trace seldom has more than one answer in progress. */
const mostAtOnce = 20
const leftOverSeconds = 30 * 60

const Partial = z.union([
  /** `text` begins at the position `from` of the answer. */
  z.object({ from: z.int(), text: z.string() }),
  z.object({ masked: z.object({ class: z.string(), length: z.int() }) }),
])
export type Partial = z.infer<typeof Partial>

export type PartialWriter = {
  /** Sets the complete text so far, and how much of it may be shown. It is written with the next write. */
  set(text: string, showable: (text: string) => Showable): void
  /** Deletes the text after the call has ended. Never fails. */
  close(): Promise<void>
}

/** A text that can't be written is only logged, because no answer depends on it. */
export function openPartialText(tenantId: string, traceId: string, spanId: string): PartialWriter {
  const { database, log } = runtime()
  let latest: (() => Partial) | undefined
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined
  let written: Partial | undefined

  const write = async () => {
    const partial = latest?.()
    if (partial === undefined || !tellsMore(partial, written)) return
    const text = JSON.stringify(partial)
    await database.inTenant(tenantId, async (tx) => {
      const cipher = await tenantCipher(tx, tenantId)
      await setPartial(tx, { tenantId, traceId, spanId, sealed: cipher.encrypt(text, contextOf(traceId, spanId)) })
      notify(tx, 'trace', topicOf(tenantId, traceId))
    })
    written = partial
  }
  const guarded = (work: () => Promise<void>) =>
    work().catch((error: unknown) => log.warn({ err: error, traceId, spanId }, 'a partial text could not be written'))

  return {
    set(text, showable) {
      latest = () => partialOf(text, showable(text))
      timer ??= setTimeout(() => {
        writing = (writing ?? Promise.resolve()).then(async () => {
          timer = undefined
          await guarded(write)
        })
      }, coalescedMs)
    },
    async close() {
      clearTimeout(timer)
      latest = undefined
      await writing
      if (writing !== undefined)
        await guarded(async () => {
          await database.inTenant(tenantId, (tx) => deletePartial(tx, { tenantId, traceId, spanId }))
        })
    },
  }
}

function partialOf(text: string, showable: Showable): Partial {
  if ('class' in showable) return { masked: { class: showable.class, length: text.length } }
  const from = Math.max(0, showable.length - mostLength)
  return { from, text: text.slice(from, showable.length).replaceAll('\u0000', '\ufffd') }
}

/** Masked text remains masked as it grows. */
function tellsMore(partial: Partial, before: Partial | undefined): boolean {
  if ('masked' in partial) return before === undefined || 'text' in before
  const end = before !== undefined && 'text' in before ? endOf(before) : 0
  return endOf(partial) > end
}

/** Returns the position in the answer where a text ends. */
export const endOf = ({ from, text }: { from: number; text: string }): number => from + text.length

/** Returns the partial answers of a trace, except those encrypted with a key that this process has not loaded yet. */
export async function readPartials(tx: Transaction, trace: TraceKey): Promise<{ spanId: string; partial: Partial }[]> {
  const rows = await listPartials(tx, trace, mostAtOnce)
  if (rows.length === 0) return []
  const cipher = await tenantCipher(tx, trace.tenantId)
  return rows.flatMap(({ spanId, sealed }) => {
    try {
      const partial = Partial.parse(cipher.decryptJson(sealed, contextOf(trace.traceId, spanId)))
      return [{ spanId, partial }]
    } catch (error) {
      runtime().log.warn({ err: error, traceId: trace.traceId, spanId }, 'a partial text could not be decrypted')
      return []
    }
  })
}

/** Deletes texts of processes that were killed during an answer. */
export async function purgePartials(tenantId: string): Promise<void> {
  await runtime().database.inTenant(tenantId, (tx) => deleteOldPartials(tx, tenantId, leftOverSeconds))
}

const contextOf = (traceId: string, spanId: string): string => `partial_texts/${traceId}/${spanId}`
