import type { Page } from '@playwright/test'
import { demoUsers } from '#server/demo/tenants.ts'
import { sized } from '#server/testing/properties/counts.ts'
import { countCases } from './counts.ts'
import { act, type Control, controlsOf } from './every-page/controls.ts'
import { type ConsolePage, everyPage, settled } from './every-page/pages.ts'
import { expect, signIn, test } from './fixtures.ts'

// Every control of every page, for every role: it does something that a person can see, or says why it can't. No console error (the
// fixture), no answer with a 5xx. `npm test` uses the controls of one page; `npm run proof` those of all.

/** What ends the session of the profile that the following pages need; session.spec.ts and sign-in.spec.ts use them. */
const notHere = /sign out/i

const people = sized(
  demoUsers.map(({ username }) => username),
  ['jonas'],
)
const few: Readonly<Record<string, readonly string[]>> = { jonas: ['approvals/[approvalId]'] }

for (const username of people)
  test(`every control of every page does something, or says why not: ${username}`, async ({ context, origin }) => {
    test.setTimeout(3_600_000)
    // A browser of its own: some controls keep a preference in it, such as one that turns the keys off.
    const tab = await context.newPage()
    await signIn(tab, username)
    const pages = (await everyPage(origin)).filter(({ route }) => sized(true, few[username]?.includes(route) ?? false))
    const dead: string[] = []
    let used = 0
    for (const place of pages) {
      const page = await context.newPage()
      page.on('response', (response) => {
        if (response.status() >= 500) dead.push(`${place.route}: ${response.status()} of ${response.url()}`)
      })
      used += await tryAll(page, place, dead)
      await page.close()
    }
    // The rail and the bar at the top are the same on every page.
    countCases(used)
    expect(dead).toEqual([])
  })

async function tryAll(page: Page, { route, address }: ConsolePage, dead: string[]): Promise<number> {
  await page.goto(address)
  await settled(page)
  const controls = await controlsOf(page, 'body')
  const frame = sized(route === '', false)
  let used = 0
  for (const control of controls) {
    if (notHere.test(control.name)) continue
    if (control.blocked !== undefined) {
      if (control.blocked.trim() === '') dead.push(`${route}: ${control.name} is blocked without a reason`)
      used += 1
      continue
    }
    if (!frame && !control.inMain) continue
    const same = await again(page, address, control)
    // Another control has changed the object: this one is no longer offered.
    if (same === undefined || same.blocked !== undefined) continue
    used += 1
    if (!(await act(page, 'body', same))) dead.push(`${route}: ${control.name} does nothing`)
  }
  return used
}

const find = async (page: Page, { name, kind }: Control): Promise<Control | undefined> =>
  (await controlsOf(page, 'body')).find((one) => one.name === name && one.kind === kind)

/** The same control after the page was loaded again: what the last one did, such as a dialog or another page, may still be to come. */
async function again(page: Page, address: string, control: Control): Promise<Control | undefined> {
  await page.goto(address)
  // Before that, an element may be one that the loaded page replaces.
  await settled(page)
  return await find(page, control)
}
