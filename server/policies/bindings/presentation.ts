import { labelText } from '#lib/rules/label-text.ts'
import type { Presentation } from '#lib/schemas/approvals.ts'
import type { LabelSelector } from '#lib/schemas/policies.ts'

type Proposal = {
  /** One agent, or labels and the names of some agents that carry them. */
  target:
    | { kind: 'agent'; agent: { id: string; name: string; displayName: string; version: string } }
    | { kind: 'labels'; selector: LabelSelector; agents: string[] }
  policy: { name: string }
  version: { version: number; digest: string; source: string }
  environment: string
  mode: 'enforce' | 'shadow'
  /** The active binding of the same policy and mode that an approval supersedes. */
  replaces: { policyVersion: number; mode: string } | undefined
}

/** What an approver of a binding reads. Its risk is high when it decides: a permit too many goes unseen. */
export function bindingPresentation({ target, policy, version, environment, mode, replaces }: Proposal): Presentation {
  const text = `version ${version.version} of ${policy.name}`
  const agent = target.kind === 'agent' ? target.agent : undefined
  const whom = target.kind === 'agent' ? target.agent.name : `agents with ${labelText(target.selector)}`
  const before =
    replaces === undefined
      ? `No version of ${policy.name} is bound to ${whom} in ${environment} in this way today.`
      : `It replaces version ${replaces.policyVersion} (${replaces.mode}), which is active there now.`
  const effect =
    mode === 'enforce'
      ? `From then on ${text} decides each call of ${whom} in ${environment}.`
      : `From then on ${text} is recorded beside each decision on ${whom} in ${environment}, and decides nothing.`
  const carriers =
    target.kind === 'agent'
      ? []
      : [
          target.agents.length === 0
            ? 'No agent carries these labels today; it holds for those that will.'
            : `Agents that carry these labels today: ${target.agents.join(', ')}. It holds for later ones, too.`,
        ]
  return {
    title: `Bind ${policy.name} version ${version.version} to ${agent?.displayName ?? whom} in ${environment}`,
    effectLabel: `binding of ${policy.name} version ${version.version}`,
    verb: 'Bind',
    effects: [
      effect,
      before,
      ...carriers,
      'The rules of other active policies stay as they are; a forbid in any of them wins.',
    ],
    onReject: 'The binding is rejected; what is active today stays as it is.',
    onExpiry: 'The proposal expires and counts as rejected.',
    onEscalate: 'The escalation group decides instead.',
    reversible: true,
    irreversibleNote: null,
    risk: mode === 'enforce' ? 'high' : 'low',
    action: 'policy_binding.activate',
    resource: target.kind === 'agent' ? `agent/${target.agent.name}` : `agents/${labelText(target.selector)}`,
    environment,
    arguments: [
      { path: 'policy', value: policy.name },
      { path: 'version', value: version.version },
      { path: 'digest', value: version.digest },
      { path: 'mode', value: mode },
      ...(target.kind === 'labels' ? [{ path: 'selector', value: target.selector }] : []),
    ],
    agent:
      agent === undefined
        ? null
        : { id: agent.id, name: agent.name, displayName: agent.displayName, version: agent.version },
    policy: null,
    executionId: null,
    traceId: null,
    position: null,
    subject: { kind: 'policy', policy: policy.name, version: version.version, source: version.source },
  }
}
