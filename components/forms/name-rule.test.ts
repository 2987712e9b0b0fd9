import { expect, test } from 'vitest'
import { EnvironmentName } from '#lib/schemas/common.ts'
import { whyNotName } from './name-rule.ts'

test.each(['production', 'a', '0', 'eu-west-1', 'a'.repeat(63), '', '-a', 'A', 'a_b', 'a b', 'ä', 'a'.repeat(64)])(
  'accepts or rejects "%s" as the API does',
  (name) => {
    expect(whyNotName(name, 'environment') === undefined).toBe(EnvironmentName.safeParse(name).success)
  },
)
