import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from '@playwright/test'
import { expect } from './fixtures.ts'

/** Makes an organisation as its operator does, and signs its approver in on this page. Returns the path of its home page. */
export async function signInToNewTenant(page: Page, origin: string): Promise<string> {
  const slug = `new-${Date.now().toString(36)}`
  const people = ['--admin', 'adam@new.example', '--approvers', 'ben@new.example,cleo@new.example']
  const { stdout } = await promisify(execFile)(process.execPath, ['cli/tenant.mjs', 'create', slug, ...people], {
    env: { ...process.env, DATA_DIR: join(process.env.E2E_DIR ?? '', 'data'), BASE_URL: origin },
  })
  const [, link = ''] = /user name ben,[^\n]*\n\s*(\S+)/.exec(stdout) ?? []
  const password = 'seven violet harbours 41'
  await page.goto(link)
  await page.getByLabel('New password', { exact: true }).fill(password)
  await page.getByLabel('Repeat new password').fill(password)
  await page.getByRole('button', { name: 'Set password' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Your password is set' })).toBeVisible()
  await page.goto(`/sign-in?organisation=${slug}`)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('textbox', { name: 'User name' }).fill('ben')
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(`/t/${slug}`)
  return `/t/${slug}`
}
