import { ApiError, agentNotFound, notFound } from '#lib/errors.ts'
import type { JsonObject, JsonValue } from '#lib/json.ts'
import { stagesOf } from '#lib/rules/approval-terms.ts'
import { reservedServers, whyNotBudgeted } from '#lib/rules/models.ts'
import { ProposeReleaseInput, ProposeReleaseOutput } from '#lib/schemas/agents.ts'
import type { Presentation } from '#lib/schemas/approvals.ts'
import { type AgentSpec, localServer } from '#lib/schemas/manifest.ts'
import { fetchAgentCard } from '#server/agents/agent-card.ts'
import { specOf } from '#server/agents/manifest.ts'
import { findAgent, findVersion } from '#server/agents/store.ts'
import { mayUseServer, type ToolServer, toolServerIn } from '#server/agents/tool-server.ts'
import { describedTool, listTools } from '#server/agents/tool-servers.ts'
import { findOwnerIds } from '#server/approvals/owner-store.ts'
import { requestProposal } from '#server/approvals/proposal.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import { newId } from '#server/kernel/ids.ts'
import { preparedMutation } from '#server/kernel/operation.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { listBoundPolicies } from '#server/policies/decisions/bound-policy-store.ts'
import { keepToolSchemas } from '#server/policies/language/tenant-schema.ts'
import type { SecretSender } from '#server/secrets/use-value.ts'
import { whyNotApprovable } from '#server/tenants/approvers/approvable.ts'
import { findGroup } from '#server/tenants/group-store.ts'
import { agentFacts } from './agent-facts.ts'
import { type ReleaseContent, type ReleasedTool, releaseDigest } from './content.ts'
import { endpointRows } from './endpoint-rows.ts'
import { sendersBeforeApproval } from './secrets-before-approval.ts'
import { findActiveRelease, insertRelease } from './store.ts'
import { toolRows } from './tool-rows.ts'

/**
 * Proposes that a version runs in an environment. Pins the current schemas of its tools, as reported by their servers, and the
 * policies bound in the environment.
 */
export const propose = preparedMutation({
  permission: 'release:propose',
  input: ProposeReleaseInput,
  output: ProposeReleaseOutput,
  audit: (input, output) => ({
    action: 'release.proposed',
    resource: { type: 'release', id: output?.releaseId ?? 'none' },
    details: {
      agentId: input.agentId,
      version: input.version,
      environment: input.environment,
      digest: output?.digest,
      approvalId: output?.approvalId,
    },
  }),
  async prepare({ input, ...caller }) {
    const { tenant } = caller
    const found = await runtime().database.inTenant(tenant.id, async (tx) => {
      const agent = await findAgent(tx, tenant.id, input.agentId)
      if (agent === undefined) throw agentNotFound()
      const version = await findVersion(tx, tenant.id, agent.id, input.version)
      if (version === undefined) throw notFound(`${agent.name} does not have a version ${input.version}.`)
      return { agent, version }
    })
    if (found.agent.status === 'retired') throw new ApiError('conflict', `The agent ${found.agent.name} is retired.`)
    const spec = specOf(found.version.manifest as JsonObject)
    if (spec.environments !== undefined && !spec.environments.includes(input.environment))
      throw new ApiError('not_ready', `The manifest allows only these environments: ${spec.environments.join(', ')}.`)
    const unbudgeted = whyNotBudgeted(spec)
    if (unbudgeted !== undefined) throw new ApiError('not_ready', unbudgeted)
    const tools = await pinnedTools(tenant, spec, await sendersBeforeApproval(caller, spec))
    const { a2a } = spec.runtime
    const agentCard = a2a === undefined ? undefined : await fetchAgentCard(a2a.card)
    const content = {
      v: 2 as const,
      agent: {
        id: found.agent.id,
        name: found.agent.name,
        displayName: found.agent.displayName,
        version: found.version.version,
        manifestDigest: found.version.manifestDigest,
      },
      environment: input.environment,
      spec,
      tools,
      ...(agentCard === undefined ? {} : { agentCard }),
    }
    return { content, versionId: found.version.id }
  },
  async run({ tx, tenant, principal, input, prepared: { content: known, versionId } }) {
    const policies = await listBoundPolicies(tx, tenant.id, known.agent, input.environment)
    const content: ReleaseContent = { ...known, policies }
    const stages = stagesOf(agentFacts(content).approvals)
    for (const { group } of stages)
      if ((await findGroup(tx, tenant.id, group)) === undefined)
        throw new ApiError(
          'not_ready',
          `The approver group ${group} does not exist. Create it, or correct governance.approvals in another version.`,
        )
    const owners = await findOwnerIds(tx, tenant.id, [input.agentId])
    const unapprovable = await whyNotApprovable(tx, tenant, stages, owners)
    const releaseId = newId()
    const digest = releaseDigest(content)
    const before = await findActiveRelease(tx, tenant.id, input.agentId, input.environment)
    const approvalId = await requestProposal(tx, tenant, {
      kind: 'release',
      subjectId: releaseId,
      presentation: presentationOf(content, digest, before?.version, unapprovable),
      agentId: input.agentId,
      agents: [input.agentId],
      requestedBy: principal.memberId,
      bound: {
        release: digest,
        arguments: { version: content.agent.version, manifestDigest: content.agent.manifestDigest },
        policyVersion: null,
      },
    })
    await keepToolSchemas(tx, tenant.id, content.tools)
    await insertRelease(tx, {
      tenantId: tenant.id,
      id: releaseId,
      agentId: input.agentId,
      agentVersionId: versionId,
      environment: input.environment,
      digest,
      content: content as JsonValue,
      approvalId,
      proposedBy: principal.memberId,
    })
    return { releaseId, approvalId, digest, status: 'proposed' as const }
  },
})

/** The current descriptions of the tools on the manifest's allow-lists. Throws `not_ready` for a missing tool. */
async function pinnedTools(
  tenant: Tenant,
  spec: AgentSpec,
  senderFor: (server: ToolServer) => SecretSender,
): Promise<ReleasedTool[]> {
  const pinned: ReleasedTool[] = []
  const seen = new Map<string, string>()
  for (const entry of spec.tools) {
    const server = toolServerIn(entry)
    const name = server.server
    if (reservedServers.some((reserved) => reserved === name))
      throw new ApiError(
        'not_ready',
        `A tool server cannot be named ${name}, because this name has a reserved meaning in policies. Choose another name.`,
      )
    const address = JSON.stringify(server)
    if ((seen.get(name) ?? address) !== address)
      throw new ApiError('not_ready', `The manifest defines the tool server ${name} with two different addresses.`)
    seen.set(name, address)
    const configured = mayUseServer(tenant, name)
    if (entry.local !== undefined) {
      if (configured)
        throw new ApiError(
          'not_ready',
          `The operator has configured a tool server named ${name}, so this installation can't govern local tools. Ask the operator to rename it.`,
        )
      pinned.push(...localTools(entry))
      continue
    }
    if (server.url === undefined && !configured)
      throw new ApiError('not_ready', `The tool server ${name} does not exist or is not available to this tenant.`)
    // Policies identify servers by name, so a manifest's server must not impersonate one of the operator's.
    if (server.url !== undefined && configured)
      throw new ApiError(
        'not_ready',
        `${name} is already a tool server of this installation. Choose another name for yours.`,
      )
    const offered = await listTools(tenant, server, senderFor(server))
    for (const wanted of entry.allow) {
      const tool = offered.find((candidate) => candidate.name === wanted)
      if (tool === undefined)
        throw new ApiError('not_ready', `The tool server ${name} does not offer a tool named ${wanted}.`)
      pinned.push(tool)
    }
  }
  return pinned
}

function localTools({ local = [], allow }: AgentSpec['tools'][number]): ReleasedTool[] {
  return local.filter(({ name }) => allow.includes(name)).map((tool) => describedTool(localServer, tool))
}

function presentationOf(
  content: ReleaseContent,
  digest: string,
  replaces: string | undefined,
  unapprovable: string | undefined,
): Presentation {
  const { agent, environment, tools, spec, policies = [] } = content
  const tier = spec.risk?.tier
  const enforced = policies.flatMap(({ mode, name, version }) => (mode === 'enforce' ? [`${name} ${version}`] : []))
  return {
    title: `Release ${agent.displayName} ${agent.version} to ${environment}`,
    effectLabel: `release of ${agent.name} ${agent.version}`,
    verb: 'Release',
    effects: [
      replaces === undefined
        ? `${agent.name} ${agent.version} becomes the first release in ${environment}.`
        : `${agent.name} ${agent.version} replaces ${replaces} in ${environment}.`,
      'Members and service accounts with the permission execution:start can start it there.',
      `It can call ${tools.map((tool) => `${tool.server}.${tool.name}`).join(', ') || 'no tools'}, with the schemas pinned in this release.`,
      enforced.length === 0
        ? 'When this was proposed, no policy was enforced on it there. Executions can start only while one is.'
        : `Each call is decided by the policies bound at the time of the call. When this was proposed: ${enforced.join(', ')}.`,
      ...(unapprovable === undefined
        ? []
        : [
            `A call that needs an approval by the terms of the manifest is denied while this holds, as it did when this was proposed: ${unapprovable}`,
          ]),
    ],
    onReject: 'The release is rejected. The active release does not change.',
    onExpiry: 'The proposal expires and counts as rejected.',
    onEscalate: 'The escalation group decides instead.',
    reversible: true,
    irreversibleNote: null,
    risk: tier === 'prohibited' ? 'critical' : (tier ?? 'medium'),
    action: 'release.activate',
    resource: `agent/${agent.name}`,
    environment,
    arguments: [
      { path: 'version', value: agent.version },
      { path: 'manifestDigest', value: agent.manifestDigest },
      { path: 'releaseDigest', value: digest },
      ...endpointRows(content),
      ...tools.flatMap(toolRows),
      ...sharedRows(spec.tools),
      ...policies.map(({ name, version, mode, digest: text }) => ({
        path: `policies.${name}`,
        value: `version ${version}, ${mode === 'enforce' ? 'enforced' : 'in shadow'}, ${text}`,
      })),
    ],
    agent: { id: agent.id, name: agent.name, displayName: agent.displayName, version: agent.version },
    policy: null,
    executionId: null,
    traceId: null,
    position: null,
    subject: null,
  }
}

/** What MCP clients may read of the servers without a call that a policy decides: the approval of the release is the permission. */
const sharedRows = (entries: AgentSpec['tools']) =>
  entries.flatMap(({ mcp, allowResources = [], allowPrompts = [] }) => [
    ...allowResources.map((uri) => ({ path: `resources.${mcp.server}.${uri}`, value: 'readable through the gateway' })),
    ...allowPrompts.map((name) => ({ path: `prompts.${mcp.server}.${name}`, value: 'usable through the gateway' })),
  ])
