import { afterAll, beforeAll, expect, test } from 'vitest'
import { payload, reason, startApi, type TestApi } from '#server/testing/api.ts'
import { executionsOf } from '#server/testing/executions.ts'
import { startSmtp, type TestSmtp } from '#server/testing/fakes/smtp.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'
import { until } from '#server/testing/until.ts'

let smtp: TestSmtp
let api: TestApi
beforeAll(async () => {
  smtp = await startSmtp()
  api = await startApi({ SMTP_URL: smtp.url })
}, 180_000)
afterAll(async () => {
  await api.close()
  await smtp.close()
})

type Resolution = {
  id: string
  channel: string
  recipient: string | null
  delivery: string
  attempts: number
  revision: number
}
const mailOf = async (executionId: string, delivery: string) =>
  until(async () => {
    const { items } = payload<{ items: Resolution[] }>(
      await api.query(await api.person('omar'), 'executions.inputResolutions.list', { executionId }),
    )
    return items.find((item) => item.channel === 'mail' && item.delivery === delivery)
  }, `the mail is ${delivery}`)

const waiting = async (name: string, ask: string) =>
  executionsOf(api).start(
    await releaseAgent(api, name, {
      steps: [{ id: 'ok', wait: { input: 'confirmation' } }],
      tools: {},
      more: { inputs: [{ name: 'confirmation', ttl: 'PT1H', ask }] },
    }),
    {},
  )

/** A service account that may manage inputs. */
async function machine(): Promise<string> {
  const made = await api.mutate(await api.client('admin-automation'), 'serviceAccounts.create', {
    name: 'inputs',
    roles: ['operator'],
  })
  const { clientId, clientSecret } = payload<{ clientId: string; clientSecret: string }>(made)
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  })
  const path = '/realms/northwind/protocol/openid-connect/token'
  const answer = await api.request(undefined, path, { method: 'POST', body })
  return (answer.body as { access_token: string }).access_token
}

test('a wait asks a member by mail, and only a person can retry a mail with an unknown outcome', async () => {
  const email = 'jonas@northwind.example'
  await mailOf(await waiting('asks', email), 'delivered')
  const sent = () => smtp.received.filter((one) => one.to === email && one.text.includes('/executions/')).length
  expect(sent()).toBe(1)

  smtp.behave('jonas', 'drop-after-dot')
  const id = await waiting('asks-again', email)
  const unknown = await mailOf(id, 'unknown')
  expect([unknown.recipient, sent()]).toEqual([email, 2])
  await api.killAndRestart()
  expect((await mailOf(id, 'unknown')).revision).toBe(unknown.revision)
  expect(sent()).toBe(2)
  const again = { id: unknown.id, expectedRevision: unknown.revision, reason: 'He says that nothing came.' }
  // It is unknown whether the mail arrived, so a retry needs human judgement: a service account with the permission cannot retry.
  const byMachine = await api.mutate(await machine(), 'executions.inputResolutions.retry', again)
  expect([byMachine.status, reason(byMachine)]).toEqual([403, 'machine_decision'])
  expect((await mailOf(id, 'unknown')).revision).toBe(unknown.revision)
  payload(await api.mutate(await api.person('omar'), 'executions.inputResolutions.retry', again))
  await until(async () => (sent() === 3 ? true : undefined), 'it was sent again')
}, 120_000)

test('only members get mail', async () => {
  await mailOf(await waiting('asks-a-stranger', 'stranger@elsewhere.example'), 'failed')
  expect(smtp.received.some((one) => one.to.startsWith('stranger'))).toBe(false)
})
