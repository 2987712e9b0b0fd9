import { readFile } from 'node:fs/promises'
import { call, clientToken, decideAs, home, personToken } from './cases.ts'
import { expectEveryView } from './every-view.ts'
import { expect, test } from './fixtures.ts'

type Proposal = { approvalId: string }

/** The demo's refund agent under another name and with low risk, released as ci-pipeline. Returns its id. */
async function lowRiskAgent(origin: string, name: string): Promise<string> {
  const token = await clientToken(origin, 'ci-pipeline')
  const approved = async (procedure: string, input: object) => {
    const { approvalId } = await call<Proposal>(origin, token, 'mutation', procedure, input)
    await decideAs(origin, 'jonas', approvalId, 'approve', 'Read and found right.')
  }
  const yaml = (await readFile('server/demo/refund-assistant.yaml', 'utf8'))
    .replace('name: refund-assistant', `name: ${name}`)
    .replace('displayName: Refund assistant', 'displayName: Refunds by grant')
    .replace('tier: high', 'tier: low')
  const { agentId } = await call<{ agentId: string }>(origin, token, 'mutation', 'agents.create', { yaml })
  const list = await call<{ items: { agentName: string; policyId: string; policyVersion: number }[] }>(
    origin,
    token,
    'query',
    'policyBindings.list',
    { status: 'active', limit: 50 },
  )
  const demo = list.items.find(({ agentName }) => agentName === 'refund-assistant')
  const { policyId, policyVersion } = demo ?? {}
  const place = { agentId, environment: 'production' }
  await approved('policyBindings.propose', { ...place, policyId, policyVersion, mode: 'enforce' })
  await approved('releases.propose', { ...place, version: '1.4.0' })
  return agentId
}

test('after an approval, a reviewer proposes a standing grant, a second one approves it, and the next call runs by itself', async ({
  signedIn,
  origin,
}) => {
  const agentId = await lowRiskAgent(origin, 'grant-refunds')
  const maria = await personToken(origin, 'maria')
  const start = { agentId, environment: 'production', input: { orderId: 'A-1002' } }
  const execute = async () =>
    (await call<{ executionId: string }>(origin, maria, 'mutation', 'executions.execute', start)).executionId
  const execution = (id: string) =>
    call<{ status: string; steps: { approvalId: string | null }[] }>(origin, maria, 'query', 'executions.get', { id })
  const first = await execute()
  let approvalId = ''
  await expect
    .poll(async () => {
      approvalId = (await execution(first)).steps.find((step) => step.approvalId !== null)?.approvalId ?? ''
      return approvalId
    })
    .not.toBe('')
  await decideAs(origin, 'jonas', approvalId, 'approve', 'Order and amount checked.')
  await expect.poll(async () => (await execution(first)).status).toBe('succeeded')

  const anna = await signedIn('anna')
  await anna.goto(`${home()}/approvals/${approvalId}`)
  await anna.getByRole('button', { name: 'Propose a standing grant…' }).click()
  const dialog = anna.getByRole('dialog', { name: 'Propose a standing grant…' })
  await dialog.getByRole('combobox', { name: 'id' }).selectOption('like a pattern')
  await dialog.getByRole('textbox', { name: 'Pattern for id' }).fill('B-*')
  await expect(dialog.getByRole('region', { name: 'What it would have meant' })).toContainText(
    'The request itself does not meet these terms.',
  )
  await dialog.getByRole('textbox', { name: 'Pattern for id' }).fill('A-*')
  await dialog.getByRole('textbox', { name: /^In total/ }).fill('1000')
  await expect(dialog.getByRole('region', { name: 'What it would have meant' })).toContainText(
    'would have run under the grant',
  )
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('The same small refunds each week.')
  await expectEveryView(anna, 'grant-proposal')
  await dialog.getByRole('button', { name: 'Propose a standing grant…' }).click()
  await dialog.getByRole('link', { name: 'Open the request' }).click()
  await expect(anna.getByRole('heading', { level: 1 })).toContainText('Let up to 10 calls like')
  await expect(anna.getByText('You asked for this, so someone else must decide.').first()).toBeVisible()

  // A dialog that is open when the proposal is approved does not become that of the active grant.
  const own = await signedIn('anna')
  await own.goto(`${home()}/approvals?view=grants`)
  const proposed = own.getByRole('row', { name: /Let up to 10 calls like/ })
  await proposed.getByRole('button', { name: /^Withdraw…/ }).click()
  const withdraw = own.getByRole('dialog')
  await withdraw.getByRole('textbox', { name: 'Reason' }).fill('Not needed after all.')

  const jonas = await signedIn('jonas')
  await jonas.goto(anna.url())
  await expect(jonas.getByRole('radio', { name: /^Escalate/ })).toBeDisabled()
  const conditions = jonas.getByRole('table', { name: 'Arguments' })
  await expect(conditions.getByRole('row', { name: /^id/ })).toContainText('like A-*, where * is any text')
  await expect(conditions.getByRole('row', { name: /^amount/ })).toContainText(/at most €[\d,.]+ for each call/)
  await expect(conditions.getByRole('row', { name: /^currency/ })).toContainText('EUR')
  await jonas.getByRole('radio', { name: 'Approve' }).check()
  await expectEveryView(jonas, 'grant-request')
  await jonas.getByRole('textbox', { name: 'Reason' }).fill('Small, and always the same customer group.')
  await jonas.getByRole('checkbox').check()
  await jonas.getByRole('button', { name: /^Approve/ }).click()
  await expect(jonas.getByRole('region', { name: /^Decided?$/ })).toContainText('Recorded: approved.')

  await expect(withdraw).toContainText('This is no longer possible.')
  await expect(withdraw).toHaveAccessibleName('Withdraw this proposal?')
  await expect(withdraw.getByRole('textbox', { name: 'Reason' })).toHaveValue('Not needed after all.')

  const next = await execute()
  await expect.poll(async () => (await execution(next)).status).toBe('succeeded')
  await jonas.goto(`${home()}/executions/${next}`)
  await expect(jonas.getByText('A standing grant took the place of a decision')).toBeVisible()

  await jonas.goto(`${home()}/approvals?view=grants`)
  const row = jonas.getByRole('row', { name: /Let up to 10 calls like/ })
  await expect(row).toContainText('1 of 10')
  await expectEveryView(jonas, 'standing-grants')
  await row.getByRole('button', { name: /^Uses/ }).click()
  await expect(
    jonas.getByRole('dialog', { name: 'Calls by this grant' }).getByRole('link', { name: 'Execution' }),
  ).toBeVisible()
  await jonas.getByRole('button', { name: 'Back to the list' }).click()
  await row.getByRole('button', { name: /^Revoke…/ }).click()
  const revoke = jonas.getByRole('dialog', { name: 'Revoke this standing grant?' })
  await revoke.getByRole('textbox', { name: 'Reason' }).fill('The campaign is over.')
  await revoke.getByRole('button', { name: 'Revoke…' }).click()
  await expect(row).toContainText('Revoked')
})
