import { at, dialog, manage, shownValue, unique } from './access-page.ts'
import { call, decideAs, externalId, home, personToken } from './cases.ts'
import { expectEveryView } from './every-view.ts'
import { expect, expectAccessible, signIn, test } from './fixtures.ts'

// Members, groups and settings, for an administrator and for other members.

test('an invited person sets a password through the link and signs in, and loses access when suspended', async ({
  signedIn,
  browser,
  origin,
  troubles,
}) => {
  const name = unique('nora')
  const page = await signedIn('tom')
  await page.goto(at('members'))
  await expect(page.getByRole('table', { name: 'Members' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Invite a person' }).click()
  const form = dialog(page, 'Invite a person')
  await form.getByRole('textbox', { name: 'E-mail address' }).fill(`${name}@northwind.example`)
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill(`Nora ${name}`)
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Invite' }).click()
  const result = dialog(page, `Nora ${name} is invited`)
  const link = await shownValue(page)
  await page.keyboard.press('Escape')
  await expect(result.getByRole('alert')).toContainText('I have the link')
  await expectAccessible(page)
  await result.getByRole('checkbox', { name: 'I have the link' }).check()
  await result.getByRole('button', { name: 'Done' }).click()
  const row = page.getByRole('row', { name: new RegExp(name) })
  await expect(row).toContainText('Invited')
  await (await manage(page, `Nora ${name}`)).getByRole('button', { name: /^Create another link/ }).click()
  const another = dialog(page, `Another link for Nora ${name}`)

  const context = await browser.newContext({ baseURL: origin })
  const nora = await context.newPage()
  await nora.goto(link)
  const password = 'seven violet harbours 41'
  await nora.getByLabel('New password', { exact: true }).fill(password)
  await nora.getByLabel('Repeat new password').fill(password)
  await nora.getByRole('button', { name: 'Set password' }).click()
  await expect(nora.getByRole('link', { name: 'Sign in' })).toBeVisible()
  // The dialog that is open for another invitation does not reset the password that she has just set.
  troubles.expect(/status of 409/)
  await expect(page.locator('tr', { hasText: name })).toContainText('Active')
  await another.getByRole('button', { name: 'Create the link' }).click()
  await expect(another.getByRole('alert')).toBeVisible()
  await page.keyboard.press('Escape')
  await nora.getByRole('link', { name: 'Sign in' }).click()
  await expect(nora.getByRole('textbox', { name: 'Organisation' })).toHaveValue('northwind')
  await nora.getByRole('button', { name: 'Continue' }).click()
  await nora.getByRole('textbox', { name: 'User name' }).fill(name)
  await nora.getByLabel('Password').fill(password)
  await nora.getByRole('button', { name: 'Sign in' }).click()
  await expect(nora).toHaveURL(home())
  await nora.goto(`${home()}/settings/me`)
  await expect(nora.getByRole('heading', { level: 1 })).toHaveText(`Nora ${name}`)
  await expect(nora.getByRole('region', { name: 'Your membership' })).toContainText('Viewer')

  await page.reload()
  await expect(row).toContainText('Active')
  await expect(row).toContainText('just now')
  await expect(row).toContainText('No passkey')
  await (await manage(page, `Nora ${name}`)).getByRole('button', { name: 'Suspend' }).click()
  const suspend = dialog(page, `Suspend Nora ${name}`)
  await suspend.getByRole('textbox', { name: 'Reason' }).fill('Lost laptop.')
  await expectAccessible(page)
  await suspend.getByRole('button', { name: `Suspend Nora ${name}` }).click()
  await expect(row).toContainText('Suspended')
  await nora.reload()
  await expect(nora.getByRole('heading', { level: 1 })).toHaveText(/^Sign in to /)
  await context.close()

  await page.getByLabel('Show').selectOption('Suspended')
  await expect(page).toHaveURL(`${at('members')}?status=suspended`)
  await (await manage(page, `Nora ${name}`)).getByRole('button', { name: 'Remove' }).click()
  const remove = dialog(page, `Remove Nora ${name}`)
  await remove.getByRole('textbox', { name: 'Reason' }).fill('Left.')
  await remove.getByRole('button', { name: `Remove Nora ${name}` }).click()
  await expect(row).toHaveCount(0)
})

test('the list says when people signed in, and who lacks a passkey', async ({ signedIn }) => {
  const page = await signedIn('tom')
  await page.goto(at('members'))
  await expect(page.getByText(/^\d+ of \d+ active approvers (has|have) a passkey\.$/)).toBeVisible()
  const members = page.getByRole('table', { name: 'Members' })
  await expect(members.getByRole('row', { name: /^Tom / })).toContainText(/just now|ago/)
  await page.getByLabel('Show').selectOption('Without a passkey')
  await expect(page).toHaveURL(`${at('members')}?status=no-passkey`)
  await expect(members.getByRole('row', { name: /^Tom / })).toContainText('No passkey')
  await expectEveryView(page, 'members-without-passkey')
})

test('Tom can’t change his own membership, and the page shows why', async ({ signedIn }) => {
  const page = await signedIn('tom')
  await page.goto(at('members'))
  const own = await manage(page, 'Tom Okafor')
  for (const act of ['Set roles', 'Suspend', 'Remove'])
    await expect(own.getByRole('button', { name: act })).toHaveAccessibleDescription(/You can’t change your own/)
  await expectAccessible(page)
})

test('a role that can decide is granted only after another person approves a request that explains it', async ({
  signedIn,
  origin,
}) => {
  const page = await signedIn('tom')
  await page.goto(at('members'))
  await (await manage(page, 'Omar Haddad')).getByRole('button', { name: 'Set roles' }).click()
  const form = dialog(page, 'Roles of Omar Haddad')
  await form.getByRole('checkbox', { name: /^Approver/ }).check()
  await form.getByRole('textbox', { name: 'Reason' }).fill('Covers for Anna.')
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Set the roles and request approval' }).click()
  await expect(form).toContainText('Approver: waiting for approval.')
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Close' }).last().click()
  const row = page.getByRole('row', { name: /Omar Haddad/ })
  await expect(row).toContainText('waits for approval')
  const request = await row.getByRole('link', { name: 'waits for approval' }).getAttribute('href')
  if (request === null) throw new Error('The link to the request lacks an address.')

  const review = await signedIn('jonas')
  await review.goto(request)
  await expect(review.getByRole('heading', { level: 1 })).toContainText('Grant approver to Omar Haddad')
  await expect(review.getByRole('main')).toContainText('can decide requests of the approver groups they belong to')
  await expect(review.getByRole('main')).toContainText('Covers for Anna.')
  await expectAccessible(review)
  await review.getByRole('radio', { name: 'Approve' }).check()
  await review.getByRole('textbox', { name: /Reason/ }).fill('Omar was trained in May.')
  await review.getByRole('checkbox').check()
  await review.getByRole('button', { name: /^Approve grant of approver to Omar Haddad/ }).click()
  await expect(review.getByRole('heading', { name: 'Decided', exact: true })).toBeVisible()

  const token = await personToken(origin, 'tom')
  type Member = { username: string; roles: string[]; id: string; revision: number }
  let omar: Member | undefined
  await expect
    .poll(async () => {
      const members = await call<{ items: Member[] }>(origin, token, 'query', 'members.list', { limit: 200 })
      omar = members.items.find((member) => member.username === 'omar')
      return omar?.roles
    })
    .toEqual(['operator', 'approver'])
  // Restores the roles for the tests that follow.
  await call(origin, token, 'mutation', 'members.setRoles', {
    id: omar?.id,
    expectedRevision: omar?.revision,
    roles: ['operator'],
  })
})

test('a new approver group is empty until its members are approved', async ({ signedIn }) => {
  const name = unique('claims')
  const page = await signedIn('tom')
  await page.goto(at('groups'))
  await expect(page.getByRole('table', { name: 'Approver groups' })).toContainText('change-approvers')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Create a group' }).click()
  const form = dialog(page, 'Create an approver group')
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
  await form.getByRole('textbox', { name: 'Display name' }).fill(`Claims ${name}`)
  await form.getByRole('checkbox', { name: /Anna Ruiz/ }).check()
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Create the group and propose its members' }).click()
  const asked = dialog(page, `Group Claims ${name} created`)
  await expect(asked).toContainText('The new members are proposed.')
  await asked.getByRole('button', { name: 'Close' }).last().click()
  const row = page.getByRole('row', { name: new RegExp(name) })
  await expect(row).toContainText('No one')
  await expect(row.getByRole('link', { name: /Waits for approval/ })).toBeVisible()
  await row.getByRole('button', { name: /Propose members/ }).click()
  await dialog(page, `Members of Claims ${name}`)
    .getByRole('checkbox', { name: /Jonas Berg/ })
    .check()
  await expect(page.getByRole('button', { name: 'Propose these members' })).toHaveAccessibleDescription(
    /already waiting/,
  )
  await expectAccessible(page)
})

test('a weaker rule requires approval, then looks dangerous, and its history says who approved it', async ({
  signedIn,
  origin,
}) => {
  const page = await signedIn('tom')
  await page.goto(`${home()}/settings/tenant`)
  const rules = page.getByRole('region', { name: 'Rules' })
  await expect(rules.getByRole('button', { name: 'Set the rules' })).toHaveAccessibleDescription(
    /You haven’t changed anything/,
  )
  await expectAccessible(page)
  const machines = rules.getByRole('group', { name: 'Decisions by machines' })
  await machines.getByRole('radio', { name: 'On' }).check()
  await expect(rules.getByRole('status')).toContainText('Requires the approval of a change approver')
  await expectAccessible(page)
  await rules.getByRole('button', { name: 'Request the weaker rules' }).click()
  await expect(rules).toContainText('Waiting for approval: decisions by machines from off to on.')
  await expect(machines.getByRole('radio', { name: 'Off' })).toBeChecked()
  await page.reload()
  await expect(rules).toContainText('Waiting for approval: decisions by machines from off to on.')
  await expectAccessible(page)
  const steps = page.getByRole('region', { name: 'First day' })
  await expect(steps.getByRole('listitem').filter({ hasText: 'Register an agent' })).toContainText('Done')
  await expect(steps.getByRole('link', { name: 'Members' })).toBeVisible()

  const request = await rules
    .getByRole('link', { name: /request/i })
    .first()
    .getAttribute('href')
  await decideAs(origin, 'jonas', request?.split('/').at(-1) ?? '', 'approve', 'A trial of one hour.')
  await page.reload()
  await expect(page.getByRole('region', { name: 'Less safe than a new organisation' })).toContainText(
    'Service accounts with the permission can approve requests without a person.',
  )
  const history = page.getByRole('table', { name: 'Changes of rules' }).getByRole('row')
  await expect(history.nth(1)).toContainText(/decisions by machines from off to on/)
  await expect(history.nth(1)).toContainText(/Tom .*Jonas Berg/)
  await expectEveryView(page, 'settings')
  await machines.getByRole('radio', { name: 'Off' }).check()
  await rules.getByRole('button', { name: 'Set the rules' }).click()
  await expect(history.nth(1)).toContainText(/decisions by machines from on to off.*Not needed: not weaker/)
  await expect(page.getByRole('region', { name: 'Less safe than a new organisation' })).toBeHidden()
})

test('the branding is previewed first and shown to everyone after it is saved', async ({ signedIn }) => {
  const page = await signedIn('tom', 'globex')
  await page.goto(`/t/${externalId('globex')}/settings/tenant`)
  const branding = page.getByRole('region', { name: 'Branding' })
  const name = branding.getByRole('textbox', { name: 'Display name' })
  await name.fill('Initech')
  await branding.getByRole('textbox', { name: 'Accent colour' }).fill('red')
  await expect(branding).toContainText('Not a valid colour. Use #rrggbb, rgb() or oklch().')
  await branding.getByRole('textbox', { name: 'Accent colour' }).fill('#7c3aed')
  await branding.getByLabel('Logo mark').setInputFiles({
    name: 'mark.svg',
    mimeType: 'image/svg+xml',
    buffer: Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M2 2h20v20H2z" fill="#7c3aed"/></svg>',
    ),
  })
  await expect(branding.getByRole('figure')).toContainText('Initech')
  await expect(branding.getByRole('figure').getByRole('img', { name: 'Globex' })).toHaveCount(2)
  await expectAccessible(page)
  await expect(page.getByRole('banner')).toContainText('Globex')
  await branding.getByRole('button', { name: 'Save the branding' }).click()
  await expect(page.getByRole('banner')).toContainText('Initech')
  await expect(page.getByRole('banner').locator('img')).toHaveAttribute('src', /\/v1\/branding\/[0-9a-f]{64}$/)
  await expectAccessible(page)

  await name.fill('Globex')
  await branding.getByRole('textbox', { name: 'Accent colour' }).fill('#9a3412')
  await branding.getByRole('button', { name: 'Remove the logo mark' }).click()
  await branding.getByRole('button', { name: 'Save the branding' }).click()
  await expect(page.getByRole('banner')).toContainText('Globex')
})

test('a file that is not an image, or that the server refuses, is reported at its field', async ({
  signedIn,
  troubles,
}) => {
  troubles.expect(/400|img-src|ERR_INVALID_URL/)
  const page = await signedIn('tom', 'globex')
  await page.goto(`/t/${externalId('globex')}/settings/tenant`)
  const branding = page.getByRole('region', { name: 'Branding' })
  const logo = branding.getByLabel('Logo', { exact: true })
  await logo.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from('not an image') })
  await expect(logo).toHaveAccessibleDescription(/^This file can’t be shown as an image\. Choose another one\./)
  await expect(branding.getByText('You haven’t changed anything')).toBeVisible()
  const script = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><script>1</script></svg>'
  await logo.setInputFiles({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(script) })
  await branding.getByRole('button', { name: 'Save the branding' }).click()
  await expect(logo).toHaveAttribute('aria-invalid', 'true')
  await expect(logo).toHaveAccessibleDescription(/script/)
})

test('Jonas names a delegate and ends the absence; a member who can’t decide is shown why they can’t name one', async ({
  page,
  signedIn,
  troubles,
}) => {
  await signIn(page, 'jonas')
  await page.goto(`${home()}/settings/me`)
  await expect(page.getByRole('table', { name: 'Permissions' })).toContainText('approval:decide')
  await expect(page.getByRole('link', { name: 'Change your password' })).toHaveAttribute(
    'href',
    /\/realms\/\w+\/password$/,
  )
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Name a delegate' }).click()
  const form = dialog(page, 'Name a delegate')
  await form.getByLabel('Last day (UTC)').fill(new Date(Date.now() + 86_400_000).toISOString().slice(0, 10))
  await form.getByRole('textbox', { name: 'Reason' }).fill('On leave.')
  // A refusal is about what was sent, and goes with the first change.
  troubles.expect(/400 .*delegations\.create/)
  await form.getByRole('textbox', { name: 'Delegate' }).fill('jonas')
  await form.getByRole('button', { name: 'Name the delegate' }).click()
  await expect(form.getByRole('alert')).toContainText('Choose another person as the delegate.')
  await form.getByRole('textbox', { name: 'Delegate' }).fill('anna')
  await expect(form.getByRole('alert')).toHaveCount(0)
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Name the delegate' }).click()
  const row = page.getByRole('row', { name: /Anna Ruiz in your place/ }).first()
  await expect(row).toContainText('Now')
  await row.getByRole('button', { name: /End/ }).click()
  await dialog(page, 'End the absence').getByRole('button', { name: 'End the absence now' }).click()
  await expect(row).toContainText('Ended early')
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Sign out in this browser' }).click()
  await expect(page).toHaveURL('/signed-out')
  const omars = await signedIn('omar')
  await omars.goto(`${home()}/settings/me`)
  await expect(omars.getByRole('button', { name: 'Name a delegate' })).toHaveAccessibleDescription(
    'Only an approver can do this.',
  )
  await expectAccessible(omars)
})
