import { ApiError } from '#lib/errors.ts'
import { AgentStatus, CreateAgentInput, CreateAgentOutput } from '#lib/schemas/agents.ts'
import { requireNewProcesses } from '#server/kernel/db/older-processes.ts'
import { newId } from '#server/kernel/ids.ts'
import { preparedMutation } from '#server/kernel/operation.ts'
import { findMemberByName } from '#server/tenants/store.ts'
import { unofferedTools } from './known-tools.ts'
import { inOrder, invalid } from './manifest.ts'
import { readManifestApart } from './manifest-thread.ts'
import {
  countVersions,
  findOwners,
  findVersion,
  findVersionByDigest,
  insertAgent,
  insertOwner,
  insertVersion,
  lockAgentByName,
} from './store.ts'
import { unapprovable } from './unapprovable.ts'

const approvals = [
  'An approved policy binding for the environment. Propose it on the agent’s page or with policyBindings.propose.',
  'An approved release for the environment. Propose it on the agent’s page or with releases.propose.',
]

const completed = (issues: readonly string[]): string =>
  `Another version whose manifest is complete. In this one: ${issues.join(' ')}`

/** Registers an agent or a new version of one. The same name and content return the existing version. */
export const create = preparedMutation({
  permission: 'agent:create',
  input: CreateAgentInput,
  output: CreateAgentOutput,
  audit: (_input, output) => ({
    action: 'agent.registered',
    resource: { type: 'agent', id: output?.agent.id ?? 'none' },
    ...(output === undefined
      ? {}
      : { details: { version: output.agent.version, manifestDigest: output.agent.manifestDigest } }),
  }),
  async prepare({ tenant, input }) {
    const manifest = await readManifestApart(tenant.id, input.yaml)
    const unoffered = await unofferedTools(tenant, manifest.tools)
    return { ...manifest, warnings: [...manifest.warnings, ...unoffered] }
  },
  async run({ tx, tenant, principal, input, repeated, prepared: manifest }) {
    const owner = manifest.owner && (await findMemberByName(tx, tenant.id, manifest.owner.name))
    if (manifest.owner !== undefined && owner === undefined) throw invalid([manifest.owner.unknown])
    const displayName = manifest.displayName ?? manifest.name
    await insertAgent(tx, {
      tenantId: tenant.id,
      id: newId(),
      name: manifest.name,
      displayName,
      createdBy: principal.memberId,
    })
    const agent = await lockAgentByName(tx, tenant.id, manifest.name)
    // The member who registers is always an owner too, so that naming someone else does not bypass separation of duties.
    for (const memberId of new Set([owner?.id ?? principal.memberId, principal.memberId]))
      await insertOwner(tx, { tenantId: tenant.id, agentId: agent.id, memberId })

    const version = await registerVersion()
    const owners = (await findOwners(tx, tenant.id, [agent.id])).map(({ id }) => id)
    const warnings = inOrder([...manifest.warnings, ...(await unapprovable(tx, tenant, manifest.stages, owners))])
    return {
      agent: {
        id: agent.id,
        name: agent.name,
        version: version.version,
        versionId: version.id,
        status: AgentStatus.parse(agent.status),
        manifestDigest: manifest.digest,
      },
      agentId: agent.id,
      id: agent.id,
      warnings: warnings.map(({ path, message }) => ({ path, message })),
      requirements: [
        ...(manifest.incomplete.length > 0 ? [completed(manifest.incomplete)] : []),
        ...(agent.status === 'registered' ? approvals : []),
      ],
    }

    async function registerVersion(): Promise<{ id: string; version: string }> {
      const same = await findVersionByDigest(tx, tenant.id, agent.id, manifest.digest)
      if (same !== undefined) {
        repeated()
        return same
      }
      // A version that was registered before a rule existed can be registered again.
      if (manifest.flaws.length > 0) throw invalid(manifest.flaws)
      if (manifest.namesCourse) await requireNewProcesses(tx, 'the stages and times of this manifest’s approvals')
      const version = manifest.version ?? String((await countVersions(tx, tenant.id, agent.id)) + 1)
      if ((await findVersion(tx, tenant.id, agent.id, version)) !== undefined)
        throw new ApiError(
          'version_conflict',
          `Version ${version} of ${agent.name} already exists with different content. Choose a new version.`,
        )
      const row = { id: newId(), version }
      await insertVersion(tx, {
        tenantId: tenant.id,
        agentId: agent.id,
        ...row,
        manifestYaml: input.yaml,
        manifest: manifest.document,
        manifestDigest: manifest.digest,
        createdBy: principal.memberId,
      })
      return row
    }
  },
})
