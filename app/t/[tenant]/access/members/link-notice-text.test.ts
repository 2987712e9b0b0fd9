import { expect, test } from 'vitest'
import { linkNotice } from '#lib/rules/members/link-notice.ts'
import type { AccountControl } from '#lib/schemas/members.ts'
import { handoverOf, linkNoticeText } from './link-notice-text.ts'

const at = '2026-11-29T12:00:00.000Z'

const resultWith = (inviteUrl: string | null, expiresAt: string | null, mailed: boolean) => {
  const holder = { id: null, displayName: 'Tom Okafor', kind: 'invited' as const, at, mailed }
  const control: AccountControl = { countsAs: [holder], proof: null, provedAt: null, provedBy: null }
  return { inviteUrl, expiresAt, member: { displayName: 'Nora Lind', email: 'nora@mail.example', control } }
}

test.each([
  ['shown', resultWith('https://id.example/link', at, false)],
  ['mailed', resultWith(null, at, true)],
  ['needs_approval', resultWith(null, null, false)],
] as const)('the page says in English what the API says of a link: %s', (handover, result) => {
  expect(handoverOf(result)).toBe(handover)
  expect(linkNoticeText(result)).toBe(linkNotice(handover, result.member))
})

test('a link that was shown in a lost answer can’t be passed on', () => {
  const result = resultWith(null, at, false)
  expect(handoverOf(result)).toBe('lost')
  expect(linkNoticeText(result)).toMatch(/^Until it is proved that Nora Lind controls the account/)
})
