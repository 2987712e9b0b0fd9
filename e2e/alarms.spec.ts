import type { Page } from '@playwright/test'
import { call, home, personToken, rowsBound } from './cases.ts'
import { changeOneRow } from './database.ts'
import { expectEveryView } from './every-view.ts'
import { demoTenant, expect, expectAccessible, test } from './fixtures.ts'
import { codeIsLost, loseCode, notLoaded } from './lost-code.ts'
import { readerManifest, register } from './own-agent.ts'

const slug = 'globex'
const why = 'The row was changed by hand during a restore test, and is as it was before.'

/** A record of the tenant's log, written by placing a hold. */
async function record(origin: string): Promise<string> {
  const token = await personToken(origin, 'vera', slug)
  const { holdId } = await call<{ holdId: string }>(origin, token, 'mutation', 'holds.create', {
    from: '2020-01-01',
    to: '2020-01-02',
    reason: 'Case 9.',
  })
  const { items } = await call<{ items: { auditId: string }[] }>(origin, token, 'query', 'audit.list', {
    resourceId: holdId,
  })
  return items[0]?.auditId ?? ''
}

/** Verifies the record until a checkpoint covers it. */
async function verified(origin: string, auditId: string): Promise<string> {
  const token = await personToken(origin, 'vera', slug)
  let status = ''
  await expect
    .poll(async () => {
      const input = { tenant: demoTenant(slug).externalId, auditId }
      status = (await call<{ status: string }>(origin, token, 'query', 'traces.verify', input)).status
      return status
    })
    .not.toBe('pending_seal')
  return status
}

const title = /A record of \d{4}-\d\d-\d\d could not be verified\./
const strip = (page: Page) => page.getByRole('region', { name: title })

test('a record that was changed by SQL raises an alarm on each page, until an administrator closes it with a reason', async ({
  signedIn,
  origin,
  troubles,
}) => {
  const auditId = await record(origin)
  expect(await verified(origin, auditId)).toBe('verified')
  const page = await signedIn('tom', slug)
  await page.goto(home(slug))
  await expect(page.getByRole('heading', { name: 'Today’s log' })).toBeVisible()
  await expect(strip(page)).toBeHidden()

  const change = (reason: string) =>
    changeOneRow(
      `update audit_records set record = jsonb_set(record, '{reason}', to_jsonb($2::text)) where audit_id = $1`,
      [auditId, reason],
    )
  // What shows an alarm is loaded when there is one.
  troubles.expect(codeIsLost)
  const code = await loseCode(page)
  await change('Case 10.')
  expect(await verified(origin, auditId)).toBe('mismatch')
  // Restored now: the next re-read of the log would find it, too, and raise an alarm of its own.
  await change('Case 9.')
  // The page shows it without being loaded again.
  const part = notLoaded(page)
  await expect(part).toBeVisible()
  await code.reach()
  await part.getByRole('button', { name: 'Load it again' }).click()
  await expect(page.getByRole('heading', { name: '1 open alarm' })).toBeVisible()
  await expect(strip(page)).toContainText(auditId)
  await expect(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: '1 alarm' })).toBeVisible()
  await expectEveryView(page, 'alarm-home')

  const vera = await signedIn('vera', slug)
  for (const path of ['/audit', '/evidence', '/alarms']) {
    await vera.goto(`${home(slug)}${path}`)
    await expect(strip(vera)).toBeVisible()
    await expectEveryView(vera, `alarm${path.replace('/', '-')}`)
  }
  // An auditor sees it, and who can close it.
  const blocked = strip(vera).getByRole('button', { name: 'Close with a reason' })
  await expect(blocked).toHaveAttribute('aria-disabled', 'true')
  await expect(strip(vera)).toContainText('tenant admin')

  // Open in another window while it is closed: the dialog stays, with what was written.
  const other = await signedIn('tom', slug)
  await other.goto(`${home(slug)}/alarms`)
  await strip(other).getByRole('button', { name: 'Close with a reason' }).click()
  const late = other.getByRole('dialog', { name: 'Close this alarm?' })
  await late.getByRole('textbox', { name: 'Reason' }).fill(why)

  await strip(page).getByRole('button', { name: 'Close with a reason' }).click()
  const dialog = page.getByRole('dialog', { name: 'Close this alarm?' })
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Done.')
  await expect(dialog.getByRole('button', { name: 'Close with a reason' })).toHaveAttribute('aria-disabled', 'true')
  await dialog.getByRole('textbox', { name: 'Reason' }).fill(why)
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Close with a reason' }).click()
  await expect(dialog).toBeHidden()
  await expect(strip(page)).toBeHidden()
  await expect(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: '1 alarm' })).toBeHidden()

  await expect(late).toContainText('This is no longer possible.')
  await expect(late.getByRole('textbox', { name: 'Reason' })).toHaveValue(why)
  await expect(other.getByText('No open alarms.')).toBeVisible()
  await other.keyboard.press('Escape')
  await expect(late).toBeHidden()
  // Its button is gone: the region that it was in has the focus.
  await expect(other.getByRole('region', { name: 'Open' })).toBeFocused()

  await expect(strip(vera)).toBeHidden()
  await expect(vera.getByText('No open alarms.')).toBeVisible()
  await expect(vera.getByRole('table', { name: 'Closed alarms' }).getByRole('row', { name: title })).toContainText(why)
  await expectEveryView(vera, 'alarms-closed')
  expect(await verified(origin, auditId)).toBe('verified')
})

test('a row that was changed by SQL is not to be loaded again, and no empty list says that nothing waits', async ({
  signedIn,
  origin,
  troubles,
}) => {
  // Before that, rows are not compared with the log.
  await rowsBound(origin, slug)
  const agentId = await register(origin, readerManifest(`e2e-changed-${Date.now()}`), slug)
  const rename = (name: string) => changeOneRow('update agents set display_name = $2 where id = $1', [agentId, name])
  const { displayName } = await call<{ displayName: string }>(
    origin,
    await personToken(origin, 'maria', slug),
    'query',
    'agents.get',
    { id: agentId },
  )
  const vera = await signedIn('vera', slug)
  const own = `${home(slug)}/approvals?view=mine`
  const calm = vera.getByText('None of your requests are waiting for a decision.')
  await vera.goto(own)
  await expect(calm).toBeVisible()

  troubles.expect(/status of 500/)
  await rename('Harmless')
  try {
    await vera.goto(`${home(slug)}/agents`)
    const refused = vera.getByRole('alert', { name: 'The agents could not be loaded.' })
    await expect(refused).toContainText(`The stored agent ${agentId} is not the one in the audit log.`)
    await expect(refused).toContainText('Its alarm says what to do.')
    await expect(refused).not.toContainText(/try again|nothing was changed/i)
    await expect(refused.getByRole('button', { name: /load|again/i })).toBeHidden()
    await expectEveryView(vera, 'alarm-agents')
    await refused.getByRole('link', { name: 'See the alarms' }).click()
    await expect(vera.getByRole('region', { name: 'A stored row differs from the log.' })).toContainText(agentId)

    // Jonas may not see alarms.
    const jonas = await signedIn('jonas', slug)
    await jonas.goto(`${home(slug)}/agents`)
    const told = jonas.getByRole('alert', { name: 'The agents could not be loaded.' })
    await expect(told).toContainText(/Tell an? [^:]*tenant administrator[^:]*:/)
    await expect(told.getByRole('link')).toBeHidden()

    await jonas.goto(own.replace('mine', 'expiring'))
    await expect(jonas.getByText('No approvals can be shown here.')).toBeVisible()
    await expect(jonas.getByText(/missing\. Tell an? [^:]*tenant administrator[^:]*: the alarm says/)).toBeVisible()
    await expect(jonas.getByRole('link', { name: 'See the alarms' })).toBeHidden()
    await expectEveryView(jonas, 'alarm-approvals-told')

    await vera.goto(own)
    await expect(vera.getByText('No approvals can be shown here.')).toBeVisible()
    await expect(calm).toBeHidden()
    await expectEveryView(vera, 'alarm-approvals')
  } finally {
    await rename(displayName)
  }
  const tom = await personToken(origin, 'tom', slug)
  const { items } = await call<{ items: { id: string }[] }>(origin, tom, 'query', 'alarms.list', { status: 'open' })
  for (const { id } of items) await call(origin, tom, 'mutation', 'alarms.close', { id, reason: why })
  await expect(calm).toBeVisible()
})

test('a change that is refused because a row was changed by SQL says what the page says of a row that it can’t load', async ({
  signedIn,
  origin,
  troubles,
}) => {
  await rowsBound(origin, slug)
  troubles.expect(/status of 500/)
  const told = `Held for a case of ${Date.now()}.`
  const { holdId } = await call<{ holdId: string }>(
    origin,
    await personToken(origin, 'vera', slug),
    'mutation',
    'holds.create',
    { from: '2020-01-01', to: '2020-01-02', reason: told },
  )
  const change = (reason: string) => changeOneRow('update legal_holds set reason = $2 where id = $1', [holdId, reason])
  const vera = await signedIn('vera', slug)
  await vera.goto(`${home(slug)}/privacy/holds`)
  await vera.getByRole('row', { name: told }).getByRole('button', { name: 'Release' }).click()
  const dialog = vera.getByRole('dialog', { name: /Release the hold/ })
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('The case is closed.')
  await change('Nothing is held.')
  try {
    await dialog.getByRole('button', { name: /Release/ }).click()
    const refused = dialog.getByRole('alert')
    await expect(refused).toContainText('is not the one in the audit log.')
    await expect(refused).toContainText('Nothing was changed.')
    await expect(refused).toContainText('Its alarm says what to do.')
    await expect(refused).not.toContainText(/support|try/i)
    await expect(refused.getByRole('link', { name: 'See the alarms' })).toBeVisible()
    await expectEveryView(vera, 'alarm-refused')
  } finally {
    await change(told)
  }
  const tom = await personToken(origin, 'tom', slug)
  const { items } = await call<{ items: { id: string }[] }>(origin, tom, 'query', 'alarms.list', { status: 'open' })
  for (const { id } of items) await call(origin, tom, 'mutation', 'alarms.close', { id, reason: why })
})

test('an alarm that is raised while a person is at work moves nothing until they ask for it', async ({
  signedIn,
  origin,
}) => {
  const auditId = await record(origin)
  expect(await verified(origin, auditId)).toBe('verified')
  const vera = await signedIn('vera', slug)
  await vera.goto(`${home(slug)}/audit`)
  const table = vera.getByRole('table', { name: 'Audit records' })
  await expect(table).toBeVisible()
  await table.getByRole('columnheader').first().hover()
  const place = async () => (await table.boundingBox())?.y
  const before = await place()
  const change = (reason: string) =>
    changeOneRow(
      `update audit_records set record = jsonb_set(record, '{reason}', to_jsonb($2::text)) where audit_id = $1`,
      [auditId, reason],
    )
  await change('Case 10.')
  expect(await verified(origin, auditId)).toBe('mismatch')
  await change('Case 9.')
  await expect(vera.getByRole('status').getByText('An alarm is open.')).toBeVisible()
  expect(await place()).toBe(before)
  await expect(strip(vera)).toBeHidden()
  await expectEveryView(vera, 'alarm-late')
  await vera.getByRole('button', { name: 'Show', exact: true }).click()
  await expect(strip(vera)).toBeInViewport()
  await expect(vera.getByText('An alarm is open.')).toBeHidden()
  const tom = await personToken(origin, 'tom', slug)
  const { items } = await call<{ items: { id: string }[] }>(origin, tom, 'query', 'alarms.list', { status: 'open' })
  for (const { id } of items) await call(origin, tom, 'mutation', 'alarms.close', { id, reason: why })
  await expect(strip(vera)).toBeHidden()
})
