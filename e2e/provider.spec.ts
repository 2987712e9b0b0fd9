import { dialog } from './access-page.ts'
import { call, home, personToken } from './cases.ts'
import { expectEveryView } from './every-view.ts'
import { expect, test } from './fixtures.ts'

// What the tokens of an identity provider may decide: requested in the settings and for a group of Globex.

const globex = () => home('globex')

test('roles from tokens look dangerous, name who could give what, and wait for another person', async ({
  signedIn,
  origin,
}) => {
  const page = await signedIn('tom', 'globex')
  await page.goto(`${globex()}/settings/tenant`)
  const source = page.getByRole('group', { name: 'Roles of people from an identity provider' })
  await expect(source.getByRole('radio', { name: 'Membership and token' })).toBeChecked()
  await source.getByRole('radio', { name: 'Token alone' }).check()
  await expect(page.getByText('No token gives approver, privacy officer or tenant admin')).toBeVisible()
  await page.getByRole('button', { name: 'Map a name to a role' }).click()
  const request = page.getByRole('button', { name: 'Request the change' })
  await expect(request).toHaveAccessibleDescription('Enter a name in each row of the mapping.')
  await page.getByRole('textbox', { name: 'Name in the claim' }).fill('cs-admins')
  await page.getByLabel('Role', { exact: true }).selectOption('tenant_admin')
  await expect(page.getByText(/can make anyone Tenant admin here, without an approval/i)).toBeVisible()
  await expect(page.getByText('“cs-admins” of https://idp.example/realms/globex gives tenant_admin')).toBeVisible()
  await expectEveryView(page, 'provider-settings')
  await request.click()
  const waiting = page.getByText(/Waiting for approval: the source of roles from membership to token/)
  await expect(waiting).toBeVisible()
  await page.reload()
  await expect(waiting).toBeVisible()
  await expect(source.getByRole('radio', { name: 'Membership and token' })).toBeChecked()

  const href = await page.getByRole('region', { name: 'Rules' }).locator('a[href*="/approvals/"]').getAttribute('href')
  const approvalId = href?.split('/').at(-1) ?? ''
  const approver = await signedIn('jonas', 'globex')
  await approver.goto(`${globex()}/approvals/${approvalId}`)
  await expect(
    approver.getByText(/anyone who administers the identity provider can give every role/).first(),
  ).toBeVisible()
  await expect(approver.getByText('Critical risk').first()).toBeVisible()
  await expectEveryView(approver, 'provider-request')
  await call(origin, await personToken(origin, 'jonas', 'globex'), 'mutation', 'approvals.decide', {
    approvalId,
    decision: 'reject',
    decisionAcknowledged: true,
    reason: 'Not now.',
  })
})

test('a new approver group proposes a group of the provider as its members', async ({ signedIn }) => {
  const page = await signedIn('tom', 'globex')
  await page.goto(`${globex()}/access/groups`)
  await page.getByRole('button', { name: 'Create a group' }).click()
  const form = dialog(page, 'Create an approver group')
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill('board')
  await form.getByRole('textbox', { name: 'Display name' }).fill('The board')
  await form.getByRole('button', { name: 'Add a group' }).click()
  const create = form.getByRole('button', { name: 'Create the group and propose its members' })
  await expect(create).toHaveAccessibleDescription('Enter the name of each group of the identity provider.')
  await form.getByRole('textbox', { name: 'Group at the provider' }).fill(' board-members ')
  await expectEveryView(page, 'provider-new-group')
  await create.click()
  await page
    .getByRole('link', { name: /request/i })
    .first()
    .click()
  await expect(page.getByText(/https:\/\/idp\.example\/realms\/globex puts into “board-members”/).first()).toBeVisible()
})

test('a group of the provider is proposed for an approver group', async ({ signedIn }) => {
  const page = await signedIn('tom', 'globex')
  await page.goto(`${globex()}/access/groups`)
  await page.getByRole('button', { name: /Propose members of Refund/ }).click()
  const form = dialog(page, /Members of/)
  const propose = form.getByRole('button', { name: 'Propose these members' })
  await form.getByRole('button', { name: 'Add a group' }).click()
  await expect(propose).toHaveAccessibleDescription('Enter the name of each group of the identity provider.')
  await form.getByRole('textbox', { name: 'Group at the provider' }).fill('finance-leads')
  await expectEveryView(page, 'provider-group')
  await form.getByRole('button', { name: /^Remove/ }).click()
  await expect(propose).toHaveAccessibleDescription('You haven’t changed anything yet.')
  await form.getByRole('button', { name: 'Add a group' }).click()
  await form.getByRole('textbox', { name: 'Group at the provider' }).fill('finance-leads')
  await propose.click()
  await expect(page.getByText('The new members are proposed.')).toBeVisible()
})

test('people and groups that came by SCIM are shown with their provider, and that they are managed there', async ({
  signedIn,
  origin,
}) => {
  const admin = await personToken(origin, 'tom', 'globex')
  const name = `scim-${Date.now().toString(36)}`
  const account = await call<{ clientId: string }>(origin, admin, 'mutation', 'serviceAccounts.create', {
    name: `Directory ${name}`,
    roles: ['viewer'],
  })
  type Accounts = { items: { id: string; clientId: string }[] }
  const { items } = await call<Accounts>(origin, admin, 'query', 'serviceAccounts.list', { limit: 200 })
  const serviceAccountId = items.find(({ clientId }) => clientId === account.clientId)?.id
  const made = { name, serviceAccountId, use: 'scim' }
  const { token } = await call<{ token: string }>(origin, admin, 'mutation', 'connectionTokens.create', made)
  const provision = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' }
    const answer = await fetch(`${origin}/scim/v2${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(answer.status).toBe(201)
    return (await answer.json()) as { id: string }
  }
  const core = 'urn:ietf:params:scim:schemas:core:2.0'
  const { id } = await provision('/Users', {
    schemas: [`${core}:User`],
    externalId: `00u-${name}`,
    userName: `${name}@elsewhere.example`,
    displayName: `Sora ${name}`,
  })
  await provision('/Groups', { schemas: [`${core}:Group`], displayName: `leads-${name}`, members: [{ value: id }] })

  const page = await signedIn('tom', 'globex')
  await page.goto(`${globex()}/access/members`)
  await expect(page.getByText('idp.example manages its people here by SCIM.')).toBeVisible()
  await page.getByRole('button', { name: `Manage Sora ${name}` }).click()
  const facts = dialog(page, `Sora ${name}`)
  await expect(facts).toContainText('A member who signs in at idp.example.')
  await expect(facts).toContainText(`Managed by idp.example through SCIM, as 00u-${name}`)
  await expectEveryView(page, 'provider-member')
  await page.keyboard.press('Escape')
  await page.goto(`${globex()}/access/groups`)
  const groups = page.getByRole('region', { name: 'Groups of the identity provider' })
  await expect(groups).toContainText('idp.example manages these groups by SCIM, so they can’t be changed here.')
  await expect(groups.getByRole('row', { name: new RegExp(name) })).toContainText(`Sora ${name}`)
  await expectEveryView(page, 'provider-groups')
})
