import { readFile } from 'node:fs/promises'
import { startModelServer } from '#server/testing/fakes/model-server.ts'
import { call, decideAs, personToken } from './cases.ts'
import { demoTenant, expect, expectAccessible, test } from './fixtures.ts'
import { environment, proposeRelease, register, startAs } from './own-agent.ts'

/** The demo's policy does not cover models. */
const modelCalls = `
@id("allow-listed-models")
permit (principal, action == Countersign::Action::"ModelCall", resource)
when { principal.allowedModels.contains(resource) };
`

/** Registers an agent that uses this endpoint, with a policy for it. Jonas approves both. */
async function talkingAgent(origin: string, name: string, endpoint: string): Promise<string> {
  const maria = await personToken(origin, 'maria')
  const chat = { endpoint, model: name, prompt: `\${input.ask}` }
  const manifest = { metadata: { name }, spec: { risk: { tier: 'low' }, runtime: { chat } } }
  const agentId = await register(origin, JSON.stringify(manifest))
  const post = async (path: string, body: unknown) => {
    const headers = { authorization: `Bearer ${maria}`, 'content-type': 'application/json' }
    const answer = await fetch(origin + path, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as { id: string }
  }
  const source = await readFile('server/demo/refund-policy.cedar', 'utf8')
  const { id: policyId } = await post('/v1/policies', { name: `${name}-policy` })
  await post(`/v1/policies/${policyId}/versions`, { source: `${source}${modelCalls}` })
  await post(`/v1/policies/${policyId}/versions/1/publish`, {})
  const binding = { agentId, environment, policyId, policyVersion: 1, mode: 'enforce' }
  const { approvalId } = await call<{ approvalId: string }>(
    origin,
    maria,
    'mutation',
    'policyBindings.propose',
    binding,
  )
  for (const id of [approvalId, await proposeRelease(origin, agentId)])
    await decideAs(origin, 'jonas', id, 'approve', 'Only to be tried out.')
  return agentId
}

test('the answer of a model appears while it is generated, on the pages of its execution and its trace', async ({
  signedIn,
  origin,
}) => {
  const model = await startModelServer()
  let goOn: () => void = () => undefined
  let finish: () => void = () => undefined
  const pieces = [
    'The order was sent on Monday ',
    new Promise<void>((resolve) => {
      goOn = resolve
    }),
    'and came on Wednesday.',
    new Promise<void>((resolve) => {
      finish = resolve
    }),
  ]
  try {
    model.script('talks-live', { pieces })
    const agentId = await talkingAgent(origin, 'talks-live', model.url)
    const id = await startAs(origin, agentId, { ask: 'When did the order come?' })
    const page = await signedIn('maria')
    const tenant = demoTenant().externalId
    await page.goto(`/t/${tenant}/executions/${id}?tab=trace`)
    const answer = page.getByRole('region', { name: 'chat talks-live is answering' })
    await expect(answer).toContainText('The order was sent on Monday')
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Open the trace on its own page' }).click()
    await expect(page).toHaveURL(/\/traces\//)
    await expect(answer).toContainText('The order was sent on Monday')
    goOn()
    await expect(answer).toContainText('The order was sent on Monday and came on Wednesday.')
    await expectAccessible(page)
    if (process.env.E2E_PICTURES !== undefined)
      for (const [width, colorScheme] of [
        [1440, 'light'],
        [1440, 'dark'],
        [390, 'light'],
        [390, 'dark'],
      ] as const) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 900 })
        await page.screenshot({ path: `${process.env.E2E_PICTURES}/answer-${width}-${colorScheme}.png` })
      }
    // On a phone the span would open as a sheet.
    await page.setViewportSize({ width: 1440, height: 900 })
    finish()
    // The answer is now part of its span.
    await expect(page.getByText('The execution has ended; its spans are complete')).toBeVisible()
    await expect(answer).toBeHidden()
    await page.getByRole('treegrid', { name: 'Spans of the trace' }).getByText('chat talks-live').click()
    await expect(page.getByRole('complementary', { name: 'Selected span' })).toContainText('came on Wednesday.')
  } finally {
    goOn()
    finish()
    await model.close()
  }
})
