import { expect, test } from 'vitest'
import type { ApprovalMail } from '#lib/schemas/mail.ts'
import { mailGroups } from './mail-groups.ts'

const mail = (name: string, delivery: ApprovalMail['delivery'], error: string | null = null): ApprovalMail => ({
  id: `0198c000-0000-7000-8000-${name.padStart(12, '0')}`,
  to: { id: `0198c000-0000-7000-9000-${name.padStart(12, '0')}`, displayName: name, username: name, kind: 'person' },
  delivery,
  error,
  attempts: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
  settledAt: null,
  revision: 1,
})

test('mails with the same state form a group, and those that need attention come first', () => {
  const groups = mailGroups([
    mail('anna', 'delivered'),
    mail('ben', 'failed', 'not configured'),
    mail('cleo', 'unknown', 'no answer'),
    mail('dora', 'failed', 'not configured'),
  ])
  expect(groups).toEqual([
    { delivery: 'unknown', error: 'no answer', names: ['cleo'] },
    { delivery: 'failed', error: 'not configured', names: ['ben', 'dora'] },
    { delivery: 'delivered', error: null, names: ['anna'] },
  ])
})

test('a person who was sent several mails counts by the newest one', () => {
  expect(mailGroups([mail('anna', 'failed', 'refused'), mail('anna', 'delivered')])).toEqual([
    { delivery: 'delivered', error: null, names: ['anna'] },
  ])
})
