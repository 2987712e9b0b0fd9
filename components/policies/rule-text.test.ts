import { describe, expect, test } from 'vitest'
import { ruleEffectText, ruleKind } from './rule-text.ts'

const forbid = (obligation: string | null, parameters: Record<string, string> = {}) => ({
  effect: 'forbid' as const,
  obligation,
  parameters,
})

describe('a rule states what it does to a call', () => {
  test.each([
    [
      { ...forbid(null), effect: 'permit' as const },
      'Permits',
      'The call is permitted, unless another rule forbids it.',
    ],
    [forbid(null), 'Forbids', 'The call is denied. No approval lifts this.'],
    // The engine treats an unknown obligation as a hard forbid.
    [forbid('wait'), 'Forbids', 'The call is denied. No approval lifts this.'],
    [
      forbid('approval', { group: 'finance', quorum: '2', ttl: 'P2D' }),
      'Asks people',
      'The call waits for an approval by 2 people of finance, for up to 2 d.',
    ],
    [
      forbid('approval', {}),
      'Asks people',
      'The call waits for an approval by one person of the group that the agent’s manifest names.',
    ],
    [forbid('approval', { stages: 'a, b:2' }), 'Asks people', 'The call waits for an approval in stages by a, b:2.'],
    [forbid('mask', { paths: '$.note' }), 'Masks', 'The call goes ahead with $.note masked (redact).'],
    [
      forbid('budget', { limit: '50', unit: 'calls', window: 'P1D' }),
      'Limits',
      'The call goes ahead until 50 calls for one agent in one environment in each 1 d are used up.',
    ],
  ])('%o', (rule, kind, text) => {
    expect([ruleKind(rule), ruleEffectText(rule)]).toEqual([kind, text])
  })
})
