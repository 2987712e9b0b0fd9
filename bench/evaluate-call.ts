import { payload, type TestApi } from '#server/testing/api.ts'
import { call, type HttpCall } from './load.ts'

/** A decision on a call of the demo's agent that is allowed, as an external agent requests it. */
export async function ourEvaluateCall(api: TestApi): Promise<HttpCall> {
  const { items } = payload<{ items: { id: string; name: string }[] }>(
    await api.query(await api.person('maria'), 'agents.list', {}),
  )
  const what: HttpCall = {
    url: `${api.baseUrl}/v1/policies.evaluate`,
    method: 'POST',
    headers: { authorization: `Bearer ${await api.client('ci-pipeline')}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      agentId: items.find(({ name }) => name === 'refund-assistant')?.id,
      environment: 'production',
      resource: 'payments/lookup_order',
      arguments: { id: 'A-1001' },
    }),
  }
  const answer = await call(what)
  if (!answer.includes('"effect":"allow"')) throw new Error(`Not the same work: ${answer}`)
  return what
}
