import { newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { otlpJson } from '#server/testing/otlp.ts'
import { call, clientToken, home, personToken } from './cases.ts'
import { expectEveryView } from './every-view.ts'
import { expect, expectAccessible, test } from './fixtures.ts'
import { signInInvited } from './invited.ts'

const slug = 'globex'

/** A trace with the subject in a value. */
async function send(origin: string, subject: string, tenant = slug): Promise<string> {
  const traceId = newTraceId()
  const response = await fetch(`${origin}/v1/traces`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await clientToken(origin, 'telemetry', tenant)}`,
      'content-type': 'application/json',
    },
    body: otlpJson([
      {
        traceId,
        spanId: newSpanId(),
        startMs: Date.now() - 1000,
        endMs: Date.now(),
        attributes: [['input.value', `Write to ${subject}.`]],
      },
    ]),
  })
  expect(response.status).toBe(200)
  return traceId
}

test('a hold protects a trace from an erasure, which ends and states what it left, until the hold is released', async ({
  signedIn,
  origin,
}) => {
  const subject = `pavel.${Date.now()}@mail.example`
  const traceId = await send(origin, subject)
  await send(origin, subject)

  const vera = await signedIn('vera', slug)
  await vera.goto(home(slug))
  await vera.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Privacy' }).click()
  await expect(vera).toHaveTitle(/^(\(\d+\) )?Legal holds · Countersign$/)
  await vera.getByRole('button', { name: 'Place a hold' }).click()
  const placing = vera.getByRole('dialog', { name: 'Place a legal hold' })
  await expect(placing.getByText('Choose what the hold covers.')).toBeVisible()
  await placing.getByRole('radio', { name: 'One trace' }).click()
  await placing.getByRole('textbox', { name: 'Trace ID' }).fill(traceId)
  const reason = `Case ${Date.now()}.`
  await placing.getByRole('textbox', { name: 'Reason' }).fill(reason)
  await expectAccessible(vera)
  await placing.getByRole('button', { name: 'Place the hold' }).click()
  await expect(placing).toBeHidden()
  const hold = vera.getByRole('table', { name: 'Legal holds' }).getByRole('row', { name: traceId.slice(0, 8) })
  await expect(hold).toContainText('In force')
  await expectEveryView(vera, 'privacy-holds')

  const pia = await signedIn('pia', slug)
  await pia.goto(`${home(slug)}/privacy/erasures`)
  await pia.getByRole('button', { name: 'Erase a person’s data' }).click()
  const erasing = pia.getByRole('dialog', { name: 'Erase a person’s data' })
  await erasing.getByRole('textbox', { name: 'Text that identifies the person' }).fill(subject)
  await erasing.getByRole('textbox', { name: 'Reason' }).fill(`Asked by ${subject}.`)
  await expect(erasing.getByText('The reason contains the text to erase.')).toBeVisible()
  await erasing.getByRole('textbox', { name: 'Reason' }).fill('Request 31 of the data subject.')
  await erasing.getByRole('checkbox').check()
  await expectAccessible(pia)
  await erasing.getByRole('button', { name: 'Erase permanently' }).click()
  await expect(erasing).toBeHidden()
  const erasure = pia.getByRole('table', { name: 'Erasures' }).getByRole('row', { name: 'Request 31' }).first()
  await expect(erasure).toContainText('Completed, some content remains')
  await expect(erasure).toContainText('1 record with the subject is under a legal hold.')
  await expect(erasure).toContainText('1 value')
  await expect(pia.getByText(subject)).toBeHidden()
  await expectEveryView(pia, 'privacy-erasures')

  await hold.getByRole('button', { name: 'Release' }).click()
  const releasing = vera.getByRole('dialog', { name: /Release the hold/ })
  await releasing.getByRole('textbox', { name: 'Reason' }).fill('The case is closed.')
  await releasing.getByRole('button', { name: 'Release' }).click()
  await expect(releasing).toBeHidden()
  await expect(hold).toContainText('Released')
  await expect(hold).toContainText('The case is closed.')
})

test('an erasure lists the archives that hold the subject, and their pages say so', async ({ page, origin }) => {
  const subject = `olga.${Date.now()}@mail.example`
  await send(origin, subject, 'northwind')
  await signInInvited(page, origin, { name: 'rita', roles: ['auditor', 'privacy_officer'] })
  const exported = async (raw: boolean) => {
    await page.goto(`${home()}/evidence/new`)
    if (raw) {
      await page.getByRole('checkbox', { name: /^Raw payloads/ }).check()
      await page
        .getByRole('textbox', { name: 'Why are sensitive values needed?' })
        .fill('The customer asks what was stored.')
    }
    await page.getByRole('button', { name: 'Export the evidence' }).click()
    await expect(page.getByRole('button', { name: /^Download the archive/ })).toBeVisible({ timeout: 120_000 })
    return new URL(page.url()).pathname
  }
  const masked = await exported(false)
  const unmasked = await exported(true)

  await page.goto(`${home()}/privacy/erasures`)
  await page.getByRole('button', { name: 'Erase a person’s data' }).click()
  const erasing = page.getByRole('dialog', { name: 'Erase a person’s data' })
  await erasing.getByRole('textbox', { name: 'Text that identifies the person' }).fill(subject)
  const reason = `Request ${Date.now()} of the data subject.`
  await erasing.getByRole('textbox', { name: 'Reason' }).fill(reason)
  await erasing.getByRole('checkbox').check()
  await erasing.getByRole('button', { name: 'Erase permanently' }).click()
  await expect(erasing).toBeHidden()
  const erasure = page.getByRole('table', { name: 'Erasures' }).getByRole('row', { name: reason }).first()
  await expect(erasure).toContainText('Completed', { timeout: 120_000 })
  // The archive with masked values does not hold the subject.
  await expect(erasure.getByRole('link')).toHaveCount(1)
  await expect(erasure.locator(`a[href="${masked}"]`)).toBeHidden()
  await expect(erasure).toContainText('marked, not deleted')
  await expectEveryView(page, 'privacy-erased-archives')
  await erasure.locator(`a[href="${unmasked}"]`).click()
  await expect(page.getByText('This archive contains data that was erased after it was made.')).toBeVisible()
})

test('an erasure says what it leaves, and so does the page of a decision whose request it removed', async ({
  signedIn,
  origin,
}) => {
  const maria = await personToken(origin, 'maria')
  const { items: agents } = await call<{ items: { id: string; name: string }[] }>(
    origin,
    maria,
    'query',
    'agents.list',
    { limit: 200 },
  )
  const agentId = agents.find(({ name }) => name === 'refund-assistant')?.id
  // An order that does not exist: the call fails, so nothing is in progress.
  const subject = `A-9${Date.now()}`
  const input = { agentId, environment: 'production', input: { orderId: subject } }
  const { executionId } = await call<{ executionId: string }>(origin, maria, 'mutation', 'executions.execute', input)
  const pia = await signedIn('pia')
  await pia.goto(`${home()}/privacy/erasures`)
  await expect(pia.getByRole('main')).toContainText('as do the reasons, questions and answers that people wrote')
  await pia.getByRole('button', { name: 'Erase a person’s data' }).click()
  const erasing = pia.getByRole('dialog', { name: 'Erase a person’s data' })
  await expect(erasing).toContainText('Reasons, questions and answers that people wrote, names and the audit log stay.')
  await erasing.getByRole('textbox', { name: 'Text that identifies the person' }).fill(subject)
  const reason = `Request ${Date.now()} of the data subject.`
  await erasing.getByRole('textbox', { name: 'Reason' }).fill(reason)
  await erasing.getByRole('checkbox').check()
  await erasing.getByRole('button', { name: 'Erase permanently' }).click()
  const erasure = pia.getByRole('table', { name: 'Erasures' }).getByRole('row', { name: reason })
  await expect(erasure).toContainText('Completed', { timeout: 90_000 })

  type Decisions = { items: { decisionId: string; executionId: string | null; resource: string }[] }
  const decisions = await call<Decisions>(origin, maria, 'query', 'policies.decisions', { agentId, limit: 50 })
  const decision = decisions.items.find((one) => one.executionId === executionId && one.resource.includes('lookup'))
  const vera = await signedIn('vera')
  await vera.goto(`${home()}/policies/decisions/${decision?.decisionId}`)
  await expect(vera.getByText('The request of this decision was erased, or deleted by age.')).toBeVisible()
  await expect(vera.getByRole('main')).not.toContainText('Give support')
})

test('retention shows the rule, its exceptions and what it deletes; a person without the permission sees who can do what', async ({
  signedIn,
}) => {
  const vera = await signedIn('vera', slug)
  await vera.goto(`${home(slug)}/privacy/retention`)
  await expect(vera.getByRole('region', { name: 'The rule' })).toContainText(/Never: no period is set|days/)
  await expect(vera.getByRole('link', { name: /legal hold/ }).first()).toBeVisible()
  await expect(vera.getByText('Nothing was deleted yet.')).toBeVisible()
  await expectEveryView(vera, 'privacy-retention')

  const maria = await signedIn('maria', slug)
  for (const [path, role] of [
    ['holds', 'Only an auditor can.'],
    ['erasures', 'Only a privacy officer can.'],
  ] as const) {
    await maria.goto(`${home(slug)}/privacy/${path}`)
    await expect(maria.getByText(role).first()).toBeVisible()
    await expect(maria.getByRole('table')).toBeHidden()
    await expectAccessible(maria)
  }
})
