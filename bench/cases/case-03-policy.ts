import * as cedar from '@cedar-policy/cedar-wasm/nodejs'
import { create as createAgent } from '#server/agents/create.ts'
import { newId } from '#server/kernel/ids.ts'
import { insertBinding, setBindingDecided } from '#server/policies/bindings/binding-store.ts'
import { decide } from '#server/policies/decisions/decide.ts'
import type { ToolCallRequest } from '#server/policies/decisions/request.ts'
import { cedarRequest } from '#server/policies/decisions/request.ts'
import { sourceDigest } from '#server/policies/language/source-digest.ts'
import { typedSchema } from '#server/policies/language/typed-schema.ts'
import { insertPolicy, insertVersion, setVersionPublished } from '#server/policies/store.ts'
import { type Lab, perform } from '../lab.ts'
import { closedLoop } from '../load.ts'
import type { comparer } from '../measure.ts'
import { type Figure, ratioFigure } from '../report.ts'

const environment = 'production'
const tool = {
  server: 'payments',
  name: 'lookup_order',
  inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
}
const schemaName = 'bench'
const action = 'action in Countersign::Action::"ToolCall"'

/** One rule per policy: the first permits, the others forbid other tools under a condition. */
const sources = (count: number): string[] =>
  Array.from({ length: count }, (_, index) =>
    index === 0
      ? `@id("allow-listed-tools") permit (principal, ${action}, resource) when { principal.allowedTools.contains(resource) };`
      : `@id("rule-${index}") @code("LIMIT") forbid (principal, ${action}, resource == Countersign::Tool::"server-${index}/tool") when { context.call.counters.toolCalls >= ${index} };`,
  )

/** An agent with `count` active bindings, and an allowed request of that agent. */
export async function boundAgent(lab: Lab, count: number): Promise<ToolCallRequest> {
  const { tenant, pipeline, runtime } = lab
  const name = `bound-${count}`
  const { agent } = await perform(createAgent, pipeline, { yaml: `name: ${name}` })
  const createdBy = pipeline.principal.memberId
  await runtime.database.inTenant(tenant.id, async (tx) => {
    for (const [index, source] of sources(count).entries()) {
      const policyId = newId()
      const bindingId = newId()
      const own = { tenantId: tenant.id, policyId, version: 1 }
      await insertPolicy(tx, {
        tenantId: tenant.id,
        id: policyId,
        name: `${name}-${index}`,
        description: '',
        createdBy,
      })
      await insertVersion(tx, { ...own, source, digest: sourceDigest(source), createdBy })
      await setVersionPublished(tx, tenant.id, policyId, 1)
      const place = { agentId: agent.id, environment, policyId, policyVersion: 1, mode: 'enforce' } as const
      await insertBinding(tx, {
        tenantId: tenant.id,
        id: bindingId,
        ...place,
        approvalId: newId(),
        proposedBy: createdBy,
      })
      await setBindingDecided(tx, tenant.id, bindingId, 'active')
    }
  })
  return {
    agent: {
      id: agent.id,
      name,
      version: '1',
      lifecycle: 'released',
      riskTier: 'high',
      allowedTools: ['payments/lookup_order'],
      requireApproval: [],
      approvals: { group: 'change-approvers', quorum: 1, expiresAfterSeconds: 3600 },
    },
    releaseId: newId(),
    releaseDigest: sourceDigest(name),
    environment,
    tool: { ...tool, sideEffect: 'read', idempotent: true, digest: sourceDigest('lookup_order') },
    arguments: { id: 'A-1001' },
    executionId: newId(),
    stepId: 'order',
    toolCalls: 0,
    fulfilled: [],
  }
}

/** One recorded decision in a separate transaction. */
export async function ourDecision(lab: Lab, request: ToolCallRequest): Promise<void> {
  const decision = await lab.runtime.database.inTenant(lab.tenant.id, (tx) =>
    decide(tx, lab.tenant, request, { withCommit: true }),
  )
  if (decision.effect !== 'allow') throw new Error(`Not the same work: ${JSON.stringify(decision.reasons)}`)
}

export async function policy(lab: Lab, compare: ReturnType<typeof comparer>): Promise<Figure[]> {
  if (cedar.preparseSchema(schemaName, typedSchema([tool])).type === 'failure')
    throw new Error('The schema does not parse.')
  const figures: Figure[] = []
  for (const [count, least] of [
    [10, 0.5],
    [100, 1.2],
    [1000, 6],
  ] as const) {
    const request = await boundAgent(lab, count)
    await closedLoop(4, performance.now() + 1000, () => ourDecision(lab, request))
    // As autovacuum does within a minute: for an empty table, PostgreSQL plans to read all of it.
    await lab.owner.query('analyze')
    const result = await compare(
      { name: 'cedar-wasm', database: false, run: wholeSet(count, request) },
      {
        name: 'countersign',
        database: true,
        run: (deadline) => closedLoop(4, deadline, () => ourDecision(lab, request)),
      },
    )
    const job = `policy decision, ${count} bound policies`
    figures.push(
      ratioFigure(
        {
          case: 3,
          job,
          unit: '/CPU s',
          least,
          limit: 'one-row commits 0.5–2 k/s',
          note: 'ours is read from and recorded in the database',
        },
        result,
      ),
    )
  }
  return figures
}

/** All rules in one pre-parsed set, one call per decision, nothing recorded. */
function wholeSet(count: number, request: ToolCallRequest): (deadline: number) => Promise<number> {
  const setName = `all-${count}`
  const staticPolicies = Object.fromEntries(sources(count).map((source, index) => [`rule-${index}`, source]))
  if (cedar.preparsePolicySet(setName, { staticPolicies }).type === 'failure')
    throw new Error('The set does not parse.')
  const { context, ...rest } = cedarRequest(request, new Date()).request
  const question = {
    ...rest,
    context: { ...context, fulfilled: [] },
    preparsedSchemaName: schemaName,
    preparsedPolicySetId: setName,
    validateRequest: true,
  }
  return async (deadline) => {
    let done = 0
    for (; performance.now() < deadline; done++) {
      const answer = cedar.statefulIsAuthorized(question)
      if (answer.type === 'failure' || answer.response.decision !== 'allow') throw new Error('Not the same work.')
    }
    return done
  }
}
