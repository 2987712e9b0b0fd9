import { expect, test } from 'vitest'
import { inputProblems } from '#lib/rules/manifest/input-schema.ts'
import { inputProblemText } from './input-problem-text.ts'

test('the form says in English what the API says', () => {
  const types = ['string', 'number', 'integer', 'boolean', 'array', 'object'] as const
  const formats = ['date', 'date-time', 'email', 'uri', 'decimal'] as const
  const wrong = [
    ...types.map((type) => [{ type }, type === 'string' ? 1 : 'x'] as const),
    ...formats.map((format) => [{ type: 'string', format }, '?'] as const),
    [{ enum: ['a', 'b'] }, 'c'] as const,
    [{ type: 'string', minLength: 2 }, ''] as const,
    [{ type: 'string', minLength: 2 }, 'a'] as const,
    [{ type: 'string', maxLength: 2 }, 'abc'] as const,
    [{ type: 'number', minimum: 2 }, 1] as const,
    [{ type: 'number', maximum: 2 }, 3] as const,
  ]
  for (const [wanted, value] of wrong) {
    const [problem, ...more] = inputProblems({ type: 'object', properties: { x: { ...wanted } } } as never, {
      x: value,
    })
    expect(more).toEqual([])
    expect(problem && inputProblemText(problem)).toBe(problem?.message)
  }
  const [missing] = inputProblems({ type: 'object', properties: {}, required: ['y'] } as never, {})
  expect(missing && inputProblemText(missing)).toBe('Required.')
})
