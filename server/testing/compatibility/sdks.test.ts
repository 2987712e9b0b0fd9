import { afterAll, beforeAll, test } from 'vitest'
import { startApi, type TestApi } from '../api.ts'
import { runAgent, startChatModel } from './run-agent.ts'
import { checkTrace, sdkAgents } from './sdk-agents.ts'

// Third-party SDKs and exporters, configured with only an endpoint and a header, each in a separate process.

let api: TestApi
let model: Awaited<ReturnType<typeof startChatModel>>
beforeAll(async () => {
  api = await startApi()
  model = await startChatModel()
})
afterAll(async () => {
  await model.close()
  await api.close()
})

test.each(sdkAgents)('the server reads the spans that $name sends', async (agent) => {
  const token = await api.client('telemetry')
  await checkTrace(api, agent, await runAgent(agent, { url: api.baseUrl, token, modelUrl: model.url }))
})
