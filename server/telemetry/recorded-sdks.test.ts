import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from '#server/testing/api.ts'
import { type RecordedSdk, recordedFolder } from '#server/testing/compatibility/recorded.ts'
import { checkTrace, sdkAgents } from '#server/testing/compatibility/sdk-agents.ts'

// Recorded requests of third-party SDKs. `npm run proof` runs the SDKs themselves.

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

test.each(sdkAgents)('the server reads the spans that $name sent', async (agent) => {
  const recorded: RecordedSdk = JSON.parse(await readFile(new URL(`${agent.name}.json`, recordedFolder), 'utf8'))
  const token = await api.client('telemetry')
  for (const { path, contentType, contentEncoding, body } of recorded.requests) {
    const answer = await api.request(token, path, {
      method: 'POST',
      headers: {
        'content-type': contentType,
        ...(contentEncoding === null ? {} : { 'content-encoding': contentEncoding }),
      },
      body: Buffer.from(body, 'base64'),
    })
    expect(answer.status, answer.text).toBe(200)
  }
  await checkTrace(api, agent, recorded.traceId)
})
