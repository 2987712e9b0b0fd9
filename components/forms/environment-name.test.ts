import { expect, test } from 'vitest'
import { EnvironmentName } from '#lib/schemas/common.ts'
import { whyNotEnvironment } from './environment-name.ts'

test.each(['production', 'a', '0', 'eu-west-1', 'a'.repeat(63), '', '-a', 'A', 'a_b', 'a b', 'ä', 'a'.repeat(64)])(
  '"%s" is judged as the API judges it',
  (name) => {
    expect(whyNotEnvironment(name) === undefined).toBe(EnvironmentName.safeParse(name).success)
  },
)
