/** A step of a request: a group of which `quorum` people must approve before the next step's group is asked. */
export type Stage = { group: string; quorum: number }

/** Who must approve a call, and by when. `group` and `quorum` are the first stage. */
export type ApprovalTerms = Stage & {
  expiresAfterSeconds: number
  /** The stages after the first, in order. */
  later?: Stage[]
  /** When reviewers who have not voted are reminded, in percent of the time that the request has; ascending. */
  remindAt?: number[]
  /** After this time, the escalation group decides the stage that is not decided yet. */
  escalateAfterSeconds?: number
  /** Whether a reviewer's question stops the clock until it is answered. */
  pauseOnQuestion?: boolean
}

export const stagesOf = ({ group, quorum, later = [] }: ApprovalTerms): Stage[] => [{ group, quorum }, ...later]

/** The same groups in the same order: one request can then ask for both. */
export const sameGroups = (one: ApprovalTerms, other: ApprovalTerms): boolean =>
  groupsIn(one).join() === groupsIn(other).join()
const groupsIn = (terms: ApprovalTerms): string[] => stagesOf(terms).map(({ group }) => group)

/** For the same groups: of each term the one that lets less happen, or earlier. */
export function stricterTerms(one: ApprovalTerms, other: ApprovalTerms): ApprovalTerms {
  const stages = stagesOf(one).map(({ group, quorum }, index) => ({
    group,
    quorum: Math.max(quorum, stagesOf(other)[index]?.quorum ?? 1),
  }))
  return termsOf(stages, {
    expiresAfterSeconds: Math.min(one.expiresAfterSeconds, other.expiresAfterSeconds),
    remindAt: [...(one.remindAt ?? []), ...(other.remindAt ?? [])],
    escalateAfterSeconds: earliest(one.escalateAfterSeconds, other.escalateAfterSeconds),
    pauseOnQuestion: stricterPause(one.pauseOnQuestion, other.pauseOnQuestion),
  })
}

type Times = {
  expiresAfterSeconds: number
  remindAt?: readonly number[]
  escalateAfterSeconds?: number | undefined
  pauseOnQuestion?: boolean | undefined
}

/** Terms without the members that change nothing, so that equal terms are equal. An escalation after the end is none. */
export function termsOf(stages: readonly Stage[], times: Times): ApprovalTerms {
  const [first, ...later] = stages
  if (first === undefined) throw new Error('An approval has at least one stage.')
  const { expiresAfterSeconds, remindAt = [], escalateAfterSeconds: after, pauseOnQuestion } = times
  return {
    ...first,
    expiresAfterSeconds,
    ...(later.length > 0 && { later }),
    ...(remindAt.length > 0 && { remindAt: [...new Set(remindAt)].sort((a, b) => a - b) }),
    ...(after !== undefined && after < expiresAfterSeconds && { escalateAfterSeconds: after }),
    ...(pauseOnQuestion !== undefined && { pauseOnQuestion }),
  }
}

/** A clock that is never stopped is stricter. Undefined if neither says anything. */
export const stricterPause = (one: boolean | undefined, other: boolean | undefined): boolean | undefined =>
  one === undefined || other === undefined ? (one ?? other) : one && other

export const earliest = (...times: (number | undefined)[]): number | undefined => {
  const known = times.filter((time) => time !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

/** "refund-approvers, finance:2", as @approval_stages and recorded obligations have it. */
export const stagesText = (stages: readonly Stage[]): string =>
  stages.map(({ group, quorum }) => (quorum === 1 ? group : `${group}:${quorum}`)).join(', ')

/** The reverse of stagesText; undefined for anything else. */
export function stagesIn(text: string): Stage[] | undefined {
  const stages = text.split(',').map((part) => {
    const match = /^([a-z0-9][a-z0-9-]{0,62})(?::([1-9]|1\d|20))?$/.exec(part.trim())
    return match === null ? undefined : { group: match[1] ?? '', quorum: Number(match[2] ?? 1) }
  })
  const known = stages.filter((stage) => stage !== undefined)
  const groups = new Set(known.map(({ group }) => group))
  return known.length === stages.length && known.length <= mostStages && groups.size === known.length
    ? known
    : undefined
}

export const mostStages = 5

/** "50, 90": whole percentages from 1 to 99; undefined for anything else. */
export function percentagesIn(text: string): number[] | undefined {
  const parts = text.split(',').map((part) => part.trim())
  return parts.length <= mostReminders && parts.every((part) => /^[1-9]\d?$/.test(part)) ? parts.map(Number) : undefined
}

export const mostReminders = 5

const courseKeys = ['stages', 'remindAt', 'escalateAfter', 'pauseOnQuestion']

/** Whether `governance.approvals` of a manifest names terms that older versions ignore (decision 0068). */
export const namesCourse = (approvals: unknown): boolean =>
  typeof approvals === 'object' && approvals !== null && courseKeys.some((key) => Object.hasOwn(approvals, key))

/** The same for the annotations of a policy. */
export const annotatesCourse = (source: string): boolean =>
  /@approval_(?:stages|remind_at|escalate_after|pause_on_question)\b/.test(source)
