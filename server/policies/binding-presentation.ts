import type { Presentation } from '#lib/schemas/approvals.ts'

type Proposal = {
  agent: { id: string; name: string; displayName: string; version: string }
  policy: { name: string }
  version: { version: number; digest: string; source: string }
  environment: string
  mode: 'enforce' | 'shadow'
  /** The active binding of the same policy that an approval supersedes. */
  replaces: { policyVersion: number; mode: string } | undefined
}

/** What an approver of a binding reads. Its risk is high when it decides: a permit too many goes unseen. */
export function bindingPresentation({ agent, policy, version, environment, mode, replaces }: Proposal): Presentation {
  const text = `version ${version.version} of ${policy.name}`
  const before =
    replaces === undefined
      ? `No version of ${policy.name} decides for ${agent.name} in ${environment} today.`
      : `It replaces version ${replaces.policyVersion} (${replaces.mode}), which is active there now.`
  const effect =
    mode === 'enforce'
      ? `From then on ${text} decides each tool call of ${agent.name} in ${environment}.`
      : `From then on ${text} is recorded beside each decision on ${agent.name} in ${environment}, and decides nothing.`
  return {
    title: `Bind ${policy.name} version ${version.version} to ${agent.displayName} in ${environment}`,
    effectLabel: `binding of ${policy.name} version ${version.version}`,
    verb: 'Bind',
    effects: [effect, before, 'The rules of other active policies stay as they are; a forbid in any of them wins.'],
    onReject: 'The binding is rejected; what is active today stays as it is.',
    onExpiry: 'The proposal expires and counts as rejected.',
    onEscalate: 'The escalation group decides instead.',
    reversible: true,
    irreversibleNote: null,
    risk: mode === 'enforce' ? 'high' : 'low',
    action: 'policy_binding.activate',
    resource: `agent/${agent.name}`,
    environment,
    arguments: [
      { path: 'policy', value: policy.name },
      { path: 'version', value: version.version },
      { path: 'digest', value: version.digest },
      { path: 'mode', value: mode },
    ],
    agent: { id: agent.id, name: agent.name, displayName: agent.displayName, version: agent.version },
    policy: null,
    executionId: null,
    traceId: null,
    position: null,
    subject: { kind: 'policy', policy: policy.name, version: version.version, source: version.source },
  }
}
