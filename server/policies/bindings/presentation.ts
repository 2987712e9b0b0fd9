import { labelText } from '#lib/rules/label-text.ts'
import type { Presentation } from '#lib/schemas/approvals.ts'
import type { LabelSelector } from '#lib/schemas/policies.ts'

type Proposal = {
  /** One agent, or labels and the names of some agents that have them. */
  target:
    | { kind: 'agent'; agent: { id: string; name: string; displayName: string; version: string } }
    | { kind: 'labels'; selector: LabelSelector; agents: string[] }
  policy: { name: string }
  version: { version: number; digest: string; source: string }
  environment: string
  mode: 'enforce' | 'shadow'
  /** The active binding of the same policy and mode that an approval supersedes. */
  replaces: { policyVersion: number; mode: string } | undefined
  /** Why calls that its rules leave to people could not be approved now. */
  unapprovable: string | undefined
}

/** What a reviewer of a binding reads. Enforcing is high risk: a permit that allows too much goes unnoticed. */
export function bindingPresentation({
  target,
  policy,
  version,
  environment,
  mode,
  replaces,
  unapprovable,
}: Proposal): Presentation {
  const text = `version ${version.version} of ${policy.name}`
  const agent = target.kind === 'agent' ? target.agent : undefined
  const whom = target.kind === 'agent' ? target.agent.name : `agents with ${labelText(target.selector)}`
  const before =
    replaces === undefined
      ? `No version of ${policy.name} is currently bound to ${whom} in ${environment} in this mode.`
      : `Replaces version ${replaces.policyVersion} (${replaces.mode}), which is currently active.`
  const effect =
    mode === 'enforce'
      ? `Once approved, ${text} decides every call of ${whom} in ${environment}.`
      : `Once approved, ${text} is evaluated and recorded with every decision on ${whom} in ${environment}, without affecting it.`
  const carriers =
    target.kind === 'agent'
      ? []
      : [
          target.agents.length === 0
            ? 'No agents have these labels yet. The binding applies to any agent that gets them later.'
            : `Agents with these labels today: ${target.agents.join(', ')}. The binding also applies to agents that get them later.`,
        ]
  return {
    title: `Bind ${policy.name} version ${version.version} to ${agent?.displayName ?? whom} in ${environment}`,
    effectLabel: `binding of ${policy.name} version ${version.version}`,
    verb: 'Bind',
    effects: [
      effect,
      before,
      ...carriers,
      'Other active policies stay in effect. A forbid in any of them takes precedence.',
      ...(unapprovable === undefined
        ? []
        : [
            `A call that needs an approval by a rule of this version is denied while this holds, as it did when this was proposed: ${unapprovable}`,
          ]),
    ],
    onReject: 'The binding is rejected. Active bindings do not change.',
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
