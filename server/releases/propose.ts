import { ApiError, notFound } from '#lib/errors.ts'
import type { JsonObject, JsonValue } from '#lib/json.ts'
import { reservedServers, whyNotBudgeted } from '#lib/rules/models.ts'
import { ProposeReleaseInput, ProposeReleaseOutput } from '#lib/schemas/agents.ts'
import type { Presentation } from '#lib/schemas/approvals.ts'
import type { AgentSpec } from '#lib/schemas/manifest.ts'
import { fetchAgentCard } from '#server/agents/agent-card.ts'
import { specOf } from '#server/agents/manifest.ts'
import { findAgent, findVersion } from '#server/agents/store.ts'
import { mayUseServer, toolServerIn } from '#server/agents/tool-server.ts'
import { listTools } from '#server/agents/tool-servers.ts'
import { requestProposal } from '#server/approvals/proposal.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import { newId } from '#server/kernel/ids.ts'
import { preparedMutation } from '#server/kernel/operation.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { listBoundPolicies } from '#server/policies/decisions/decision-store.ts'
import { keepToolSchemas } from '#server/policies/language/tenant-schema.ts'
import { type ReleaseContent, type ReleasedTool, releaseDigest } from './content.ts'
import { endpointRows } from './endpoint-rows.ts'
import { findActiveRelease, insertRelease } from './store.ts'

/**
 * Proposes that a version runs in an environment. Its tools are asked for their schemas now, and pinned with the policies that
 * are bound there.
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
  async prepare({ tenant, input }) {
    const found = await runtime().database.inTenant(tenant.id, async (tx) => {
      const agent = await findAgent(tx, tenant.id, input.agentId)
      const version = agent && (await findVersion(tx, tenant.id, agent.id, input.version))
      return agent !== undefined && version !== undefined ? { agent, version } : undefined
    })
    if (found === undefined) throw notFound()
    if (found.agent.status === 'retired') throw new ApiError('conflict', `The agent ${found.agent.name} is retired.`)
    const spec = specOf(found.version.manifest as JsonObject)
    if (spec.environments !== undefined && !spec.environments.includes(input.environment))
      throw new ApiError('not_ready', `The manifest allows the environments ${spec.environments.join(', ')} only.`)
    const unbudgeted = whyNotBudgeted(spec)
    if (unbudgeted !== undefined) throw new ApiError('not_ready', unbudgeted)
    const tools = await pinnedTools(tenant, spec)
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
    const releaseId = newId()
    const digest = releaseDigest(content)
    const before = await findActiveRelease(tx, tenant.id, input.agentId, input.environment)
    const approvalId = await requestProposal(tx, tenant, {
      kind: 'release',
      subjectId: releaseId,
      presentation: presentationOf(content, digest, before?.version),
      agentId: input.agentId,
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

/** The tools on the manifest's allow-lists as their servers describe them now. Throws `not_ready` for one that is missing. */
async function pinnedTools(tenant: Tenant, spec: AgentSpec): Promise<ReleasedTool[]> {
  const pinned: ReleasedTool[] = []
  const seen = new Map<string, string>()
  for (const entry of spec.tools) {
    const server = toolServerIn(entry)
    const name = server.server
    if (reservedServers.some((reserved) => reserved === name))
      throw new ApiError('not_ready', `A tool server can't be named ${name}: policies know something else by it.`)
    const address = JSON.stringify(server)
    if ((seen.get(name) ?? address) !== address)
      throw new ApiError('not_ready', `The manifest gives the tool server ${name} two addresses.`)
    seen.set(name, address)
    const configured = mayUseServer(tenant, name)
    if (server.url === undefined && !configured)
      throw new ApiError('not_ready', `There is no tool server ${name} for this tenant.`)
    // Policies speak of servers by name: one of a manifest must not pass for one of the operator's.
    if (server.url !== undefined && configured)
      throw new ApiError('not_ready', `${name} is a tool server of this installation: give yours another name.`)
    const offered = await listTools(tenant, server)
    for (const wanted of entry.allow) {
      const tool = offered.find((candidate) => candidate.name === wanted)
      if (tool === undefined) throw new ApiError('not_ready', `The tool server ${name} has no tool ${wanted}.`)
      pinned.push(tool)
    }
  }
  return pinned
}

function presentationOf(content: ReleaseContent, digest: string, replaces: string | undefined): Presentation {
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
      `People and systems with the permission execution:start can start it there.`,
      `It may call ${tools.map((tool) => `${tool.server}.${tool.name}`).join(', ') || 'no tools'}, with the schemas pinned in this release.`,
      enforced.length === 0
        ? 'No policy is bound to it there now: until one is, nothing starts.'
        : `Each call is decided by the policies that are bound there at that time; now: ${enforced.join(', ')}.`,
    ],
    onReject: 'The release is rejected; what runs today stays as it is.',
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
      ...tools.map((tool) => ({
        path: `tools.${tool.server}.${tool.name}`,
        value: `${tool.sideEffect}, schema ${tool.digest}`,
      })),
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
