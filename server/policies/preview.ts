import type { z } from 'zod'
import { type ExampleCall, PreviewInput, PreviewOutput } from '#lib/schemas/policies/rules.ts'
import { askingQuery } from '#server/kernel/operation.ts'
import { usual } from './decisions/decide.ts'
import type { DecidingSet } from './decisions/deciding-set.ts'
import { evaluateRequest } from './decisions/evaluate-request.ts'
import type { ToolCallRequest } from './decisions/request.ts'
import { checkPolicy } from './engine/check-policy.ts'
import { sourceDigest } from './language/source-digest.ts'
import { tenantTools } from './language/tenant-schema.ts'
import { type SchemaTool, typedSchema } from './language/typed-schema.ts'
import { ruleViews } from './rule-view.ts'

/**
 * What a text that is not stored means: its rules in words, and what it alone would decide about example calls of a released
 * agent that may use their tools. Evaluated like any call, by the decision worker; nothing is recorded.
 */
export const preview = askingQuery({
  permission: 'policy:author',
  input: PreviewInput,
  output: PreviewOutput,
  async ask({ tenant, input: { source, calls } }) {
    const tools = [...(await tenantTools(tenant)), ...calls.flatMap((call) => givenTool(call) ?? [])]
    const problems = await checkPolicy(tenant.id, source, typedSchema(tools))
    if (problems.length > 0) return { problems, rules: [], outcomes: [] }
    const digest = sourceDigest(source)
    const set: DecidingSet = {
      tenantId: tenant.id,
      key: `preview ${digest}`,
      policies: [{ policyId: 'preview', name: 'this text', version: 0, digest }],
      readTexts: async () => [{ digest, source }],
    }
    const now = new Date()
    const outcomes = calls.map((call) => evaluateRequest(set, requestOf(call, tools), now, usual))
    const [rules, decided] = await Promise.all([ruleViews(tenant.id, { digest, source }), Promise.all(outcomes)])
    return {
      problems,
      rules,
      outcomes: decided.map(({ effect, obligations, reasons }) => ({ effect, obligations, reasons })),
    }
  },
})

type Call = z.output<typeof ExampleCall>

const placeOf = (tool: string) => ({
  server: tool.slice(0, tool.indexOf('/')),
  name: tool.slice(tool.indexOf('/') + 1),
})

const givenTool = ({ tool, inputSchema }: Call): SchemaTool | undefined =>
  inputSchema === undefined ? undefined : { ...placeOf(tool), inputSchema }

function requestOf(call: Call, tools: readonly SchemaTool[]): ToolCallRequest {
  const { server, name } = placeOf(call.tool)
  // Of tools with the same name, the last one wins.
  const known = tools.findLast((tool) => tool.server === server && tool.name === name)
  const inputSchema = call.inputSchema ?? known?.inputSchema
  return {
    agent: {
      id: 'example',
      name: 'example-agent',
      version: '1.0.0',
      lifecycle: 'released',
      riskTier: null,
      allowedTools: [call.tool],
      requireApproval: [],
      approvals: { group: 'approvers', quorum: 1, expiresAfterSeconds: 7 * 86_400, stricter: true },
    },
    releaseId: 'example',
    releaseDigest: `sha256:${'0'.repeat(64)}`,
    environment: call.environment,
    tool: { server, name, sideEffect: call.sideEffect, idempotent: false, ...(inputSchema && { inputSchema }) },
    arguments: call.arguments,
    toolCalls: call.earlierCalls,
    exact: true,
    fulfilled: [],
  }
}
