import { durationSeconds } from '#lib/duration.ts'
import type { DecisionReason, Obligation } from '#lib/schemas/policies.ts'
import { tokenOf } from '#server/policies/engine/rule.ts'
import type { Fired } from '#server/policies/engine/soft-forbid.ts'
import type { DecidingPolicy } from './deciding-set.ts'
import type { GovernedRequest } from './request.ts'

/** The next approval to request. An approval has one group, so rules with another group get a later approval. */
export type NeededApproval = {
  group: string
  quorum: number
  expiresAfterSeconds: number
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
  const wanted = fired.map((one) => ({ fired: one, ...approvalTerms(one, request) }))
  const group = wanted[0]?.group
  if (group === undefined) return undefined
  const now = wanted.filter((approval) => approval.group === group)
  const later = wanted.filter((approval) => approval.group !== group)
  const rules = now.map((one) => reasonOf(policies)(one.fired))
  const obligations = [...now, ...later].map(({ fired: one, ...approval }) => ({
    kind: 'approval',
    policyRule: one.rule.annotations.id ?? '',
    parameters: {
      group: approval.group,
      quorum: String(approval.quorum),
      expiresAfterSeconds: String(approval.expiresAfterSeconds),
      token: tokenOf(policyOf(policies, one).digest, one.rule),
    },
  }))
  return {
    obligations,
    reasons: [...rules, ...later.map((one) => reasonOf(policies)(one.fired))],
    approval: {
      group,
      quorum: Math.max(...now.map((approval) => approval.quorum)),
      expiresAfterSeconds: Math.min(...now.map((approval) => approval.expiresAfterSeconds)),
      rules,
      words: now[0]?.fired.rule.words,
      tokens: tokensAfter(request.fulfilled, obligations),
    },
  }
}

/** Who must approve, by the rule's annotations or else by the agent's manifest. */
function approvalTerms({ rule: { annotations } }: Fired, { agent: { approvals } }: GovernedRequest) {
  return {
    group: annotations.approval_group ?? approvals.group,
    quorum: annotations.approval_quorum === undefined ? approvals.quorum : Number(annotations.approval_quorum),
    expiresAfterSeconds: durationSeconds(annotations.approval_ttl ?? '') ?? approvals.expiresAfterSeconds,
  }
}

/** The tokens fulfilled after the first approval of these obligations is granted: those of its whole group. */
export function tokensAfter(fulfilled: readonly string[], obligations: readonly Obligation[]): string[] {
  const approvals = obligations.filter(({ kind }) => kind === 'approval')
  const group = approvals[0]?.parameters.group
  const granted = approvals.flatMap(({ parameters: { group: own, token } }) =>
    own === group && token !== undefined ? [token] : [],
  )
  return [...fulfilled, ...granted]
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
