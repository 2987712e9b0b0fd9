import * as t from '#components/texts/approval-case/en.ts'
import type { Approval } from '#lib/schemas/approvals.ts'
import type { Execution } from '#lib/schemas/executions.ts'
import { pastEffect, pastOf } from '#lib/text/past-tense.ts'

type Step = Pick<Execution['steps'][number], 'status'>

/** What became of an approved call. `taken`: by an agent elsewhere, which alone knows whether it made the call. */
export type CallOutcome = 'not-begun' | 'not-made' | 'running' | 'succeeded' | 'failed' | 'unknown' | 'taken'

/**
 * `step`: the one that the call belongs to. `over`: the execution has ended; then `usedAt` has to be read after its end, or undefined if it
 * was not: an older null would say of a call that it was not made.
 */
export function outcomeOfCall(
  step: Step | undefined,
  usedAt: string | null | undefined,
  over: boolean,
): CallOutcome | undefined {
  if (step?.status === 'succeeded') return 'succeeded'
  if (usedAt === undefined) return undefined
  if (usedAt === null) return over ? 'not-made' : 'not-begun'
  if (step?.status === 'failed') return 'failed'
  return over ? 'unknown' : 'running'
}

/** Whether the page must follow a request: it is open, its record waits for its seal, or its call may still begin, also after the seal. */
export const canStillChange = (approval: Pick<Approval, 'status' | 'seal' | 'usedAt'> | undefined): boolean =>
  approval !== undefined &&
  (approval.status === 'pending' ||
    approval.seal === 'pending' ||
    (approval.status === 'approved' && approval.usedAt === null))

type Titled = Pick<Approval, 'status' | 'title' | 'changes'> & { presentation: Pick<Approval['presentation'], 'verb'> }

/** The title of a request: what is asked for while it is pending, and then what became of it. */
export function titleNow({ status, title, changes, presentation: { verb } }: Titled, outcome?: CallOutcome): string {
  switch (status) {
    case 'pending':
      return title
    case 'rejected':
      return t.rejectedTitle({ title })
    case 'expired':
      return t.expiredTitle({ title })
    case 'canceled':
      return changes === null ? t.canceledTitle({ title }) : t.changesRequestedTitle({ title })
    case 'approved':
      return outcome === 'succeeded' ? inPast(title, verb) : approved(title, outcome)
  }
}

/** Titles are in the language of the manifest's author, usually English, of which only an English page forms the past tense. */
function inPast(title: string, verb: string): string {
  const past = t.formsPast === 'yes' && title.startsWith(`${verb} `) ? pastOf(verb) : undefined
  return past === undefined ? t.doneTitle({ title }) : past + title.slice(verb.length)
}

function approved(title: string, outcome: CallOutcome | undefined): string {
  switch (outcome) {
    case 'failed':
      return t.failedTitle({ title })
    case 'unknown':
      return t.unknownTitle({ title })
    case 'not-made':
      return t.notMadeTitle({ title })
    default:
      return t.approvedTitle({ title })
  }
}

/** The effects: in the past tense as far as they have happened. Only the first one is about the call itself. */
export function effectsNow({ status, kind, presentation }: Approval, outcome: CallOutcome | undefined): string[] {
  const { effects } = presentation
  if (status !== 'approved' || kind === 'external_call') return effects
  if (kind !== 'tool_call' || outcome === 'succeeded') return effects.map(pastEffect)
  const begun = outcome === 'running' || outcome === 'failed' || outcome === 'unknown'
  return begun ? effects.map((effect, index) => (index === 0 ? pastEffect(effect) : effect)) : effects
}
