import { afterAll, beforeAll, expect, test } from 'vitest'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { executionsOf } from '#server/testing/executions.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'
import { startSmtp, type TestSmtp } from '#server/testing/smtp.ts'
import { until } from '#server/testing/until.ts'

let smtp: TestSmtp
let api: TestApi
beforeAll(async () => {
  smtp = await startSmtp()
  api = await startApi({ SMTP_URL: smtp.url })
}, 60_000)
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

test('a wait asks a person by mail; an unknown outcome stays so until a person retries it', async () => {
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
  payload(
    await api.mutate(await api.person('omar'), 'executions.inputResolutions.retry', {
      id: unknown.id,
      expectedRevision: unknown.revision,
      reason: 'He says that nothing came.',
    }),
  )
  await until(async () => (sent() === 3 ? true : undefined), 'it was sent again')
}, 120_000)

test('who is no member gets no mail', async () => {
  await mailOf(await waiting('asks-a-stranger', 'stranger@elsewhere.example'), 'failed')
  expect(smtp.received.some((one) => one.to.startsWith('stranger'))).toBe(false)
})
