import { durationSeconds } from '#lib/duration.ts'
import {
  type ApprovalTerms,
  earliest,
  percentagesIn,
  type Stage,
  sameGroups,
  stagesIn,
  stagesOf,
  stagesText,
  stricterPause,
  stricterTerms,
  termsOf,
} from '#lib/rules/approval-terms.ts'
import type { DecisionReason, Obligation } from '#lib/schemas/policies.ts'
import { tokenOf } from '#server/policies/engine/rule.ts'
import type { Fired } from '#server/policies/engine/soft-forbid.ts'
import type { DecidingPolicy } from './deciding-set.ts'
import type { GovernedRequest } from './request.ts'

/** The next approval to request. An approval has one list of groups, so rules with others get a later approval. */
export type NeededApproval = ApprovalTerms & {
  rules: DecisionReason[]
  /** The first rule in words; not recorded, so that better words don't make recorded decisions differ. */
  words: string | undefined
  /** `fulfilled` of the next decision after this approval is granted; includes the tokens fulfilled before. */
  tokens: string[]
}

export const maskMethods = ['redact', 'truncate', 'hash'] as const
/** What to mask in the outgoing arguments (applied by mask-arguments.ts). */
export type MaskObligation = { rule: string; paths: string[]; method: (typeof maskMethods)[number] }

const policyOf = (policies: readonly DecidingPolicy[], { policy }: Fired): DecidingPolicy => {
  const found = policies[policy]
  if (found === undefined) throw new Error('A rule matched in a policy outside the evaluated set.')
  return found
}

export const reasonOf =
  (policies: readonly DecidingPolicy[]) =>
  (fired: Fired): DecisionReason => {
    const policy = policyOf(policies, fired)
    const { text, annotations } = fired.rule
    return {
      policyId: policy.policyId,
      policyName: policy.name,
      policyVersion: policy.version,
      rule: annotations.id ?? '',
      code: annotations.code ?? null,
      message: annotations.message ?? null,
      source: text,
    }
  }

/** The approvals that these rules require: all as obligations, and the first to request. */
export function approvalsOf(
  policies: readonly DecidingPolicy[],
  fired: readonly Fired[],
  request: GovernedRequest,
): { obligations: Obligation[]; reasons: DecisionReason[]; approval: NeededApproval } | undefined {
  const wanted = fired.map((one) => ({ fired: one, terms: approvalTerms(one, request) }))
  const first = wanted[0]?.terms
  if (first === undefined) return undefined
  const now = wanted.filter(({ terms }) => sameGroups(terms, first))
  const later = wanted.filter(({ terms }) => !sameGroups(terms, first))
  const rules = now.map((one) => reasonOf(policies)(one.fired))
  const obligations = [...now, ...later].map(({ fired: one, terms }) => ({
    kind: 'approval',
    policyRule: one.rule.annotations.id ?? '',
    parameters: { ...parametersOf(terms), token: tokenOf(policyOf(policies, one).digest, one.rule) },
  }))
  return {
    obligations,
    reasons: [...rules, ...later.map((one) => reasonOf(policies)(one.fired))],
    approval: {
      ...now.map(({ terms }) => terms).reduce(stricterTerms),
      rules,
      words: now[0]?.fired.rule.words,
      tokens: tokensAfter(request.fulfilled, obligations),
    },
  }
}

/** Who must approve, by the rule's annotations and the agent's manifest: the stricter of both where they differ. */
function approvalTerms({ rule: { annotations } }: Fired, { agent: { approvals } }: GovernedRequest): ApprovalTerms {
  const { approval_quorum: quorum, approval_ttl: ttl, approval_escalate_after: escalateAfter } = annotations
  const pause = annotations.approval_pause_on_question
  const expiresAfterSeconds = durationSeconds(ttl ?? '')
  if (approvals.stricter !== true)
    return {
      group: annotations.approval_group ?? approvals.group,
      quorum: quorum === undefined ? approvals.quorum : Number(quorum),
      expiresAfterSeconds: expiresAfterSeconds ?? approvals.expiresAfterSeconds,
    }
  const asked = Number(quorum ?? 1)
  const own = annotations.approval_group === undefined ? [] : [{ group: annotations.approval_group, quorum: asked }]
  const named = stagesIn(annotations.approval_stages ?? '') ?? own
  return termsOf(named.length === 0 ? atLeast(stagesOf(approvals), asked) : stricterStages(named, approvals), {
    expiresAfterSeconds: Math.min(expiresAfterSeconds ?? Number.POSITIVE_INFINITY, approvals.expiresAfterSeconds),
    remindAt: [...(percentagesIn(annotations.approval_remind_at ?? '') ?? []), ...(approvals.remindAt ?? [])],
    escalateAfterSeconds: earliest(durationSeconds(escalateAfter ?? ''), approvals.escalateAfterSeconds),
    pauseOnQuestion: stricterPause(pause === undefined ? undefined : pause === 'true', approvals.pauseOnQuestion),
  })
}

const atLeast = (stages: readonly Stage[], quorum: number): Stage[] =>
  stages.map((stage) => ({ ...stage, quorum: Math.max(stage.quorum, quorum) }))

/** The stages that a rule names; a group that the manifest names too has the greater quorum. */
const stricterStages = (named: readonly Stage[], approvals: ApprovalTerms): Stage[] =>
  named.map(({ group, quorum }) => ({
    group,
    quorum: Math.max(quorum, stagesOf(approvals).find((stage) => stage.group === group)?.quorum ?? 1),
  }))

const parametersOf = ({ group, quorum, expiresAfterSeconds, ...rest }: ApprovalTerms) => ({
  group,
  quorum: String(quorum),
  ...(rest.later !== undefined && { later: stagesText(rest.later) }),
  expiresAfterSeconds: String(expiresAfterSeconds),
  ...(rest.remindAt !== undefined && { remindAt: rest.remindAt.join(', ') }),
  ...(rest.escalateAfterSeconds !== undefined && { escalateAfterSeconds: String(rest.escalateAfterSeconds) }),
  ...(rest.pauseOnQuestion !== undefined && { pauseOnQuestion: String(rest.pauseOnQuestion) }),
})

/** The tokens fulfilled after the first approval of these obligations is granted: those of its groups. */
export function tokensAfter(fulfilled: readonly string[], obligations: readonly Obligation[]): string[] {
  const approvals = obligations.filter(({ kind }) => kind === 'approval')
  const groups = groupsOf(approvals[0])
  const granted = approvals.flatMap((one) =>
    groupsOf(one) === groups && one.parameters.token !== undefined ? [one.parameters.token] : [],
  )
  return [...fulfilled, ...granted]
}

/** Of a recorded obligation: "refund-approvers, finance". */
function groupsOf(obligation: Obligation | undefined): string {
  const { group, later } = obligation?.parameters ?? {}
  return [group, ...(later === undefined ? [] : (stagesIn(later) ?? [])).map((stage) => stage.group)].join(', ')
}

/** Undefined when the rule names nothing to mask, so that it can't be honoured. */
export function maskOf({ rule: { annotations } }: Fired, { agent }: GovernedRequest): MaskObligation | undefined {
  const classes = listed(annotations.mask_classes)
  const byClass = (agent.sensitive ?? []).filter((entry) => classes.includes(entry.class)).map(({ path }) => path)
  const paths = [...new Set([...listed(annotations.mask_paths), ...byClass])]
  const method = maskMethods.find((one) => one === (annotations.mask_method ?? 'redact'))
  // Classes without a path in this agent's manifest leave nothing to mask, which is not a failure.
  if (method === undefined || (paths.length === 0 && classes.length === 0)) return undefined
  return { rule: annotations.id ?? '', paths, method }
}

const listed = (text: string | undefined): string[] => (text ?? '').split(',').flatMap((part) => part.trim() || [])
