import { durationSeconds } from '#lib/duration.ts'
import type { DecisionReason, Obligation } from '#lib/schemas/policies.ts'
import { type Batch, evaluate } from './engine.ts'
import { cedarRequest, type ToolCallRequest } from './request.ts'
import { type DecidingPolicy, type Fired, settle, tokenOf } from './soft-forbid.ts'
import { EngineFailure } from './worker.ts'

/** The approval to ask for next. Rules of another group are asked for after it: one approval has one group. */
export type NeededApproval = {
  group: string
  quorum: number
  expiresAfterSeconds: number
  rules: DecisionReason[]
  /** `fulfilled` of the next decision once this approval is granted; what was fulfilled before is among them. */
  tokens: string[]
}

export type Outcome = {
  effect: 'allow' | 'deny' | 'require_approval'
  obligations: Obligation[]
  /** Never empty. The first one is what to tell: the determining rule, or the decision point's own words. */
  reasons: DecisionReason[]
  approval?: NeededApproval
}

/** The same policies, request and time give the same outcome: a recorded decision can be computed again with it. */
export async function evaluateRequest(
  policies: readonly DecidingPolicy[],
  request: ToolCallRequest,
  now: Date,
): Promise<Outcome> {
  const cedar = cedarRequest(request, now)
  const ask = (fulfilled: string[][]) => {
    const batch: Batch['policies'] = policies.map(({ digest, source }, index) => ({
      digest,
      source,
      fulfilled: fulfilled[index] ?? [],
    }))
    return evaluate({ request: cedar, policies: batch })
  }
  try {
    const settled = await settle(policies, request.fulfilled, ask)
    if (settled.effect === 'allow') return allowed(settled, request)
    switch (settled.because) {
      case 'forbidden':
        return { effect: 'deny', obligations: [], reasons: settled.rules.map(reasonOf) }
      case 'policy_error':
        return denied('policy_error', 'A rule failed while it was evaluated.', settled.rules)
      case 'no_permit':
        return denied('no_permit', 'No rule of the bound policies permits this call.')
      case 'request_invalid':
        return denied('request_invalid', 'The call does not fit the policy schema.')
    }
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error
    return denied('pdp_unavailable', 'The policy engine gave no answer.')
  }
}

/** A denial in the decision point's own words, before the rules that it concerns. */
export const denied = (code: string, message: string, rules: readonly Fired[] = []): Outcome => ({
  effect: 'deny',
  obligations: [],
  reasons: [
    {
      policyId: 'countersign',
      policyName: 'decision point',
      policyVersion: 0,
      rule: code,
      code,
      message,
      source: null,
    },
    ...rules.map(reasonOf),
  ],
})

function allowed(settled: { permits: Fired[]; obligations: Fired[] }, request: ToolCallRequest): Outcome {
  const unsupported = settled.obligations.filter(({ rule }) => rule.annotations.obligation !== 'approval')
  if (unsupported.length > 0)
    return denied('obligation_unsupported', 'A rule demands what cannot be done yet.', unsupported)
  if (settled.obligations.length === 0)
    return { effect: 'allow', obligations: [], reasons: settled.permits.map(reasonOf) }

  const wanted = settled.obligations.map((fired) => ({ fired, ...approvalOf(fired, request) }))
  const group = wanted[0]?.group ?? request.agent.approvals.group
  const now = wanted.filter((approval) => approval.group === group)
  const later = wanted.filter((approval) => approval.group !== group)
  const rules = now.map(({ fired }) => reasonOf(fired))
  const obligations = [...now, ...later].map(({ fired, ...approval }) => ({
    kind: 'approval',
    policyRule: fired.rule.annotations.id ?? '',
    parameters: {
      group: approval.group,
      quorum: String(approval.quorum),
      expiresAfterSeconds: String(approval.expiresAfterSeconds),
      token: tokenOf(fired),
    },
  }))
  return {
    effect: 'require_approval',
    obligations,
    reasons: [...rules, ...later.map(({ fired }) => reasonOf(fired))],
    approval: {
      group,
      quorum: Math.max(...now.map((approval) => approval.quorum)),
      expiresAfterSeconds: Math.min(...now.map((approval) => approval.expiresAfterSeconds)),
      rules,
      tokens: tokensAfter(request.fulfilled, obligations),
    },
  }
}

/** What is fulfilled once the approval is granted that these obligations ask for first: all of the first one's group. */
export function tokensAfter(fulfilled: readonly string[], obligations: readonly Obligation[]): string[] {
  const group = obligations[0]?.parameters.group
  const granted = obligations.flatMap(({ parameters: { group: own, token } }) =>
    own === group && token !== undefined ? [token] : [],
  )
  return [...fulfilled, ...granted]
}

/** Who must approve: as the rule says, else as the agent's manifest says. */
function approvalOf({ rule: { annotations } }: Fired, { agent: { approvals } }: ToolCallRequest) {
  return {
    group: annotations.approval_group ?? approvals.group,
    quorum: annotations.approval_quorum === undefined ? approvals.quorum : Number(annotations.approval_quorum),
    expiresAfterSeconds: durationSeconds(annotations.approval_ttl ?? '') ?? approvals.expiresAfterSeconds,
  }
}

const reasonOf = ({ policy, rule }: Fired): DecisionReason => ({
  policyId: policy.policyId,
  policyName: policy.name,
  policyVersion: policy.version,
  rule: rule.annotations.id ?? '',
  code: rule.annotations.code ?? null,
  message: rule.annotations.message ?? null,
  source: rule.text,
})
