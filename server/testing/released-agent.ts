import { payload, type TestApi } from './api.ts'
import { approve, bindingFor } from './refund-agent.ts'

/** The demo's policy does not cover models. */
const modelCalls = `
@id("allow-listed-models")
permit (principal, action == Countersign::Action::"ModelCall", resource)
when { principal.allowedModels.contains(resource) };
`

/** Creates a released agent with these steps and tools, governed by the demo's policy. Returns its id. */
export async function releaseAgent(
  api: TestApi,
  name: string,
  {
    steps,
    runtime = { steps },
    tools,
    servers = {},
    more = {},
  }: {
    steps?: unknown[]
    runtime?: Record<string, unknown>
    tools: Record<string, string[]>
    /** Servers that the manifest defines: address and authentication. */
    servers?: Record<string, { url: string; auth?: { secretRef: string } }>
    more?: Record<string, unknown>
  },
): Promise<string> {
  const ci = await api.client('ci-pipeline')
  const manifest = {
    metadata: { name, version: '1.0.0' },
    spec: {
      risk: { tier: 'low' },
      runtime,
      tools: Object.entries(tools).map(([server, allow]) => ({
        mcp: { server, ...servers[server] },
        allow,
      })),
      ...more,
    },
  }
  const { agentId } = payload<{ agentId: string }>(
    await api.mutate(ci, 'agents.create', { yaml: JSON.stringify(manifest) }),
  )
  const propose = async (procedure: string, input: unknown) =>
    approve(api, payload<{ approvalId: string }>(await api.mutate(ci, procedure, input)).approvalId)
  await propose('policyBindings.propose', await bindingFor(api, agentId, name, modelCalls))
  await propose('releases.propose', { agentId, version: '1.0.0', environment: 'production' })
  return agentId
}
