import type { Browser, Page } from '@playwright/test'
import { signIn as tokensOf } from '#server/testing/auth/sign-in.ts'
import { call, personToken } from './cases.ts'
import { demoTenant, demoUser, expect, expectAccessible, signIn, test } from './fixtures.ts'

// One person is one person: who counts as the holder of an account, how that ends, and what the holder learns of a reset.

const home = () => `/t/${demoTenant().externalId}`
const members = () => `${home()}/access/members`
const password = 'seven violet harbours 41'
const all = { limit: 200 }
type Member = { id: string; username: string; roles: string[]; revision: number }

const unique = (name: string) => `${name}-${Date.now().toString(36)}`
const manage = async (page: Page, name: string) => {
  await page.getByRole('button', { name: `Manage ${name}` }).click()
  return page.getByRole('dialog', { name })
}

async function setRoles(origin: string, username: string, change: (roles: string[]) => string[]) {
  const token = await personToken(origin, 'tom')
  const { items } = await call<{ items: Member[] }>(origin, token, 'query', 'members.list', all)
  const member = items.find((one) => one.username === username)
  const input = { id: member?.id, expectedRevision: member?.revision, roles: change(member?.roles ?? []) }
  return await call<{ change: { approvalId: string } | null }>(origin, token, 'mutation', 'members.setRoles', input)
}

/** Invites a person over the API; they set their password and sign in. */
async function invited(browser: Browser, origin: string, by: string, username: string, roles: string[]) {
  const invitation = { email: `${username}@mail.example`, username, displayName: username, roles }
  // A token from before a change of roles does not have the new one.
  const { accessToken } = await tokensOf(origin, 'northwind', by, demoUser(by).password)
  const { inviteUrl } = await call<{ inviteUrl: string }>(origin, accessToken, 'mutation', 'members.invite', invitation)
  const page = await (await browser.newContext({ baseURL: origin })).newPage()
  await choosePassword(page, inviteUrl)
  await signInAs(page, username)
  return page
}

async function choosePassword(page: Page, link: string) {
  await page.goto(link)
  await page.getByLabel('New password', { exact: true }).fill(password)
  await page.getByLabel('Repeat new password').fill(password)
  await page.getByRole('button', { name: 'Set password' }).click()
  await expect(page.getByRole('link', { name: 'Sign in' })).toBeVisible()
}

async function signInAs(page: Page, username: string) {
  await page.goto('/sign-in?organisation=northwind')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('textbox', { name: 'User name' }).fill(username)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(home())
}

test('an administrator can decide the request of a person whom they invited only after another one vouches', async ({
  page,
  browser,
  origin,
}) => {
  const granted = await setRoles(origin, 'anna', (roles) => [...roles, 'tenant_admin'])
  const acknowledged = { decision: 'approve', decisionAcknowledged: true, reason: 'As agreed.' }
  await call(origin, await personToken(origin, 'jonas'), 'mutation', 'approvals.decide', {
    approvalId: granted.change?.approvalId,
    ...acknowledged,
  })
  try {
    const name = unique('nora')
    const nora = await invited(browser, origin, 'anna', name, ['developer'])
    const { accessToken: token } = await tokensOf(origin, 'northwind', name, password)
    const agents = await call<{ items: { id: string; name: string }[] }>(origin, token, 'query', 'agents.list', all)
    const agentId = agents.items.find((agent) => agent.name === 'refund-assistant')?.id
    const { approvalId } = await call<{ approvalId: string }>(origin, token, 'mutation', 'releases.propose', {
      agentId,
      version: '1.4.0',
      environment: unique('stage'),
    })
    await nora.context().close()

    await signIn(page, 'anna')
    const approval = `${home()}/approvals/${approvalId}`
    await page.goto(approval)
    await expect(page.getByRole('main')).toContainText(`You invited the account ${name}, which asked for this`)
    await expectAccessible(page)

    const context = await browser.newContext({ baseURL: origin })
    const tom = await context.newPage()
    await signIn(tom, 'tom')
    await tom.goto(`${members()}?status=open`)
    const row = tom.getByRole('row', { name: new RegExp(name) })
    await expect(row).toContainText('Counts as Anna Ruiz until control is proved')
    await expectAccessible(tom)
    await (await manage(tom, name)).getByRole('button', { name: 'Vouch' }).click()
    const form = tom.getByRole('dialog', { name: `Vouch for ${name}` })
    await form.getByRole('textbox', { name: 'How you made sure' }).fill('I met Nora at the office.')
    await form.getByRole('checkbox').check()
    await expectAccessible(tom)
    await form.getByRole('button', { name: `Vouch for ${name}` }).click()
    await expect(row).toHaveCount(0)
    await tom.goto(members())
    await expect(row).toContainText('Vouched for by Tom Okafor')
    await context.close()

    await page.reload()
    await page.getByRole('radio', { name: 'Approve' }).check()
    await page.getByRole('textbox', { name: /Reason/ }).fill('Read the release.')
    await page.getByRole('checkbox').check()
    await page.getByRole('button', { name: /^Approve release of/ }).click()
    await expect(page.getByRole('heading', { name: 'Decided', exact: true })).toBeVisible()
  } finally {
    await setRoles(origin, 'anna', (roles) => roles.filter((role) => role !== 'tenant_admin'))
  }
})

test('the holder of an account that was reset sees who did it and when, before anything else', async ({
  page,
  browser,
  origin,
}) => {
  const name = unique('vik')
  const vik = await invited(browser, origin, 'tom', name, ['viewer'])
  await signIn(page, 'tom')
  await page.goto(members())
  await (await manage(page, name)).getByRole('button', { name: 'Reset the password' }).click()
  const form = page.getByRole('dialog', { name: `Reset the password of ${name}` })
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Create the link' }).click()
  const result = page.getByRole('dialog', { name: `A one-time link for ${name}` })
  await expect(result).toContainText('another administrator can vouch for it')
  const link = (await result.locator('code.select-all').innerText()).trim()
  await result.getByRole('checkbox', { name: 'I have the link' }).check()
  await result.getByRole('button', { name: 'Done' }).click()

  await vik.context().clearCookies()
  await choosePassword(vik, link)
  const context = await browser.newContext({ baseURL: origin })
  const again = await context.newPage()
  await signInAs(again, name)
  await expect(again.getByRole('heading', { level: 1 })).toHaveText('Your password was reset')
  await expect(again.getByRole('main')).toContainText('Tom Okafor')
  await expectAccessible(again)
  await again.goto(`${home()}/approvals`)
  await expect(again.getByRole('heading', { level: 1 })).toHaveText('Your password was reset')
  await again.getByRole('button', { name: 'Acknowledge the reset' }).click()
  await expect(again.getByRole('heading', { level: 1 })).toHaveText('Approvals')
  await again.reload()
  await expect(again.getByRole('heading', { level: 1 })).toHaveText('Approvals')
  await context.close()
  await vik.context().close()
})
