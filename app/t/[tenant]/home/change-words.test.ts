import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { Change } from '#lib/schemas/home/overview.ts'
import { changeSentence } from './change-words.ts'

const change: Change = {
  action: 'release.activated',
  at: '2026-11-20T14:20:00Z',
  auditId: 'aud_1',
  objectId: 'agt_1',
  name: 'Refund assistant',
  version: '1.4.0',
  environment: 'production',
  agentName: null,
  by: null,
}

const sentence = (changed: Partial<Change>): string =>
  renderToStaticMarkup(
    createElement(
      'p',
      null,
      changeSentence({ ...change, ...changed }, (name) => name),
    ),
  ).replaceAll(/<[^>]+>/g, '')

test.each<[Partial<Change>, string]>([
  [{}, 'Refund assistant version 1.4.0 was released in production'],
  [{ version: null, environment: null }, 'Refund assistant was released'],
  [{ action: 'policy_version.published', version: '12000' }, 'Refund assistant version 12000 was published'],
  [
    { action: 'policy_binding.activated', version: '3' },
    'Refund assistant version 3 now applies to agents with its labels in production',
  ],
  [
    { action: 'policy_binding.revoked', version: '3', agentName: 'Refunds', environment: null },
    'Refund assistant version 3 no longer applies to Refunds',
  ],
  [{ action: 'service_account.disabled', name: null }, 'A service account was disabled'],
  [{ action: 'standing_grant.revoked', name: null }, 'A standing grant was revoked in production'],
  [{ action: 'tenant.settings_updated', name: null }, 'The organisation’s rules changed'],
])('%j is said as "%s"', (changed, expected) => {
  expect(sentence(changed)).toBe(expected)
})
