import { expect, type Page } from '@playwright/test'
import { call, decideAs, externalId, personToken } from './cases.ts'

/** Invites a person with these roles and signs them in on this page. Returns their user name. */
export async function signInInvited(
  page: Page,
  origin: string,
  { name, roles }: { name: string; roles: readonly string[] },
): Promise<string> {
  const username = `${name}-${Date.now().toString(36)}`
  const invited = await call<{ inviteUrl: string | null; change: { approvalId: string } | null }>(
    origin,
    await personToken(origin, 'tom'),
    'mutation',
    'members.invite',
    {
      email: `${username}@northwind.example`,
      displayName: `${name[0]?.toUpperCase()}${name.slice(1)} ${username}`,
      roles,
      reason: 'Audits the raw payloads of this quarter.',
    },
  )
  await decideAs(origin, 'maria', invited.change?.approvalId ?? '', 'approve', 'Agreed with the works council.')
  const password = 'seven violet harbours 41'
  await page.goto(invited.inviteUrl ?? '')
  await page.getByLabel('New password', { exact: true }).fill(password)
  await page.getByLabel('Repeat new password').fill(password)
  await page.getByRole('button', { name: 'Set password' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Your password is set' })).toBeVisible()
  await page.goto('/sign-in')
  await page.getByRole('textbox', { name: 'Organisation' }).fill('northwind')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('textbox', { name: 'User name' }).fill(username)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(`/t/${externalId()}`)
  return username
}
