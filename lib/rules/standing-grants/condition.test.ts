import { expect, test } from 'vitest'
import type { JsonValue } from '#lib/json.ts'
import { argumentRows } from '../effect.ts'
import { type Condition, conditionIn, conditionValue } from './condition.ts'

const conditions: Condition[] = [{ is: 'any' }, { is: 'like', pattern: 'A-*' }, { is: 'at most', amount: '€50.00' }]

test('a condition is read as it was written', () => {
  expect(conditions.map((one) => conditionIn(conditionValue(one)))).toEqual(conditions)
  const others: JsonValue[] = ['any value', null, {}, { $condition: 'like' }, { $condition: 'other' }, ['any']]
  expect(others.map(conditionIn)).toEqual(others.map(() => undefined))
})

test('no argument has a row that is a condition, whatever it contains', () => {
  const values = conditions.flatMap((one) => [
    conditionValue(one),
    JSON.stringify(conditionValue(one)),
    [conditionValue(one)],
  ])
  for (const value of values)
    expect(argumentRows({ note: value }).map((row) => conditionIn(row.value ?? null))).not.toContainEqual(
      expect.anything(),
    )
})
