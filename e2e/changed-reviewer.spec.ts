import type { Page } from '@playwright/test'
import { address, fillIn, rail, reason } from './approval-page.ts'
import { call, decideAs, personToken, type RefundCase, waitingRefund } from './cases.ts'
import { expect, signIn, test } from './fixtures.ts'

// What a reviewer may do changes while they write: the open page shows it without polling, and keeps the draft.

/** On a busy machine. Nothing polls while the socket is open. */
const soon = { timeout: 15_000 }
const draft = 'Order and amount checked against the claim.'
const all = { limit: 200 }

type Member = { id: string; username: string; revision: number }
type Group = { id: string; name: string; revision: number; members: Member[] }

/** Calls an operation on members or groups as Tom. Jonas approves what it requests. */
async function administer(origin: string, procedure: string, input: object): Promise<void> {
  const token = await personToken(origin, 'tom')
  const { change } = await call<{ change: { approvalId: string } | null }>(origin, token, 'mutation', procedure, input)
  if (change !== null) await decideAs(origin, 'jonas', change.approvalId, 'approve', 'As agreed.')
}

async function setRoles(origin: string, username: string, roles: string[]): Promise<void> {
  const token = await personToken(origin, 'tom')
  const { items } = await call<{ items: Member[] }>(origin, token, 'query', 'members.list', all)
  const member = items.find((one) => one.username === username)
  await administer(origin, 'members.setRoles', { id: member?.id, expectedRevision: member?.revision, roles })
}

/** Sets who belongs to the group of the refunds, by user name. */
async function setGroup(origin: string, choose: (usernames: string[]) => string[]): Promise<void> {
  const token = await personToken(origin, 'tom')
  const { items: members } = await call<{ items: Member[] }>(origin, token, 'query', 'members.list', all)
  const { items } = await call<{ items: Group[] }>(origin, token, 'query', 'groups.list', all)
  const group = items.find(({ name }) => name === 'refund-approvers')
  const chosen = choose(group?.members.map(({ username }) => username) ?? [])
  await administer(origin, 'groups.setMembers', {
    id: group?.id,
    expectedRevision: group?.revision,
    memberIds: members.filter(({ username }) => chosen.includes(username)).map(({ id }) => id),
  })
}

async function write(page: Page, refund: RefundCase): Promise<void> {
  await page.goto(address(refund))
  await fillIn(page, draft)
  await expect(page.getByRole('button', { name: /^Approve refund/ })).not.toHaveAttribute('aria-disabled', 'true')
}

test('a reviewer who leaves the group while writing sees it, and can go on when they are back', async ({
  signedIn,
  origin,
}) => {
  const page = await signedIn('anna')
  await write(page, await waitingRefund(origin))
  try {
    await setGroup(origin, (usernames) => usernames.filter((username) => username !== 'anna'))
    await expect(rail(page)).toContainText('You can’t decide this.', soon)
    await expect(reason(page)).toHaveValue(draft)
  } finally {
    await setGroup(origin, (usernames) => [...usernames, 'anna'])
  }
  await expect(rail(page)).not.toContainText('You can’t decide this.', soon)
  await expect(reason(page)).toHaveValue(draft)
})

test('a reviewer who loses the role while writing sees it', async ({ page, origin, troubles }) => {
  // At the end the page has a token without the role that the person has by then: together they permit nothing.
  troubles.expect(/403/)
  try {
    await setRoles(origin, 'anna', ['approver', 'viewer'])
    // A token from before a change of roles does not have the new one.
    await signIn(page, 'anna')
    await write(page, await waitingRefund(origin))
    await setRoles(origin, 'anna', ['viewer'])
    await expect(rail(page)).toContainText('You can’t decide this.', soon)
    await expect(reason(page)).toHaveValue(draft)
  } finally {
    await setRoles(origin, 'anna', ['approver'])
  }
})
