import { expect, test } from 'vitest'
import { pastWords } from '#lib/rules/standing-grants/words.ts'
import { pastText } from './past-text.ts'

test('the page says in English what the request for the second person says', () => {
  for (const requests of [0, 1, 2, 5])
    for (let matched = 0; matched <= requests; matched++)
      for (let approved = 0; approved <= matched; approved++) {
        const simulation = { requests, matched, approved, rejected: matched - approved } as Parameters<
          typeof pastWords
        >[0]
        expect(pastText(simulation)).toBe(pastWords(simulation))
      }
})
