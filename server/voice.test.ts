import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

// The phrases of docs/voice.md that a machine can find. Each reads as translated, and the page lists what to write instead.

/** Text that is immutable, generated, published by others, or that quotes the phrases on purpose. */
const exempt = [
  /^server\/kernel\/db\/migrations\//,
  /^server\/kernel\/db\/schema\.ts$/,
  /\/vectors\//,
  /^docs\/voice\.md$/,
  /^server\/voice\.test\.ts$/,
]

/**
 * Recorded sentences. Recomputing a decision and spending an approval compare their bytes, also those of earlier versions, so
 * they never change.
 */
const recorded = /nobody knows how many|begins? anew|there is no tool|the tool has no schema/g

/** "has no effect" and "is no longer" are idiomatic; "is no route" is not. */
const idioms = ['effect', 'further', 'longer', 'more']

/** Each phrase with a sentence that contains it. */
const phrases: [RegExp, string][] = [
  [
    new RegExp(`\\b(?:is|are|was|were|has|have|had) no (?!(?:${idioms.join('|')})\\b)[a-z]+`, 'gi'),
    'This is no route.',
  ],
  [/\bthere (?:is|are) no such\b/gi, 'There is no such tenant.'],
  [/\bknows? no [a-z]+/gi, 'Traces know no executions.'],
  [/\bwho(?:m|so)?ever\b/gi, 'Whoever asks may read it.'],
  // In quotes, "nobody" is the Unix account.
  [/\b(?:some|every|any)body\b|\bnobody\b(?!(?<=["'`]nobody)["'`])/gi, 'Nobody can read it.'],
  [/\bmeanwhile\b/gi, 'It has changed meanwhile.'],
  [/\bstands? (?:in|for|there|beside|next)\b/gi, 'It stands in the table.'],
  [/\bbesides?\b/gi, 'The key lies beside the token.'],
  [/\bcan not\b/gi, 'It can not be read.'],
  [/\b(?:can(?:not|’t|'t)?|could) be had\b/gi, 'The archive can’t be had.'],
  [/\bon (?:its|their) way\b/gi, 'The mail is on its way.'],
  [/\blike that\b/gi, 'No execution is like that.'],
  [/\bmend(?:s|ed|ing)?\b/gi, 'Mend the fields first.'],
  [/\bgoes on\b/gi, 'The cursor goes on with older ones.'],
  [/\bfor ever\b/gi, 'It is kept for ever.'],
  [/\banew\b/gi, 'The tables are written anew.'],
  [/\bonce more\b/gi, 'The draft is checked once more.'],
  [/(?<!,) but for\b/gi, 'Everything is erased but for names.'],
  [/\bin clear\b/gi, 'The value is shown in clear.'],
  [/\bof ours\b/gi, 'An execution of ours recorded it.'],
  [/\bthe own\b/gi, 'It uses the own key.'],
  [/\bthat which\b/gi, 'It returns that which was sent.'],
  [/\b(?:likewise|thereby|therein|thereof|hence|wherein|whereof)\b/gi, 'It thereby ends.'],
  [/\b(?:is|are|was|were) (?:told|asked) of\b/gi, 'The reviewer is told of it.'],
]

/** `file:line: phrase` for each phrase in `text`. A phrase may continue on the next line, also of a comment. */
function findings(file: string, text: string): string[] {
  const lines = text.split('\n').map((line) => line.replace(/^\s*(?:\/\/|\/?\*+|#+|>)?\s*/, ''))
  const starts: number[] = []
  let length = 0
  for (const line of lines) {
    starts.push(length)
    length += line.length + 1
  }
  const flat = lines.join(' ').replaceAll(recorded, (sentence) => '.'.repeat(sentence.length))
  return phrases.flatMap(([phrase]) =>
    Array.from(flat.matchAll(phrase), (match) => {
      const line = starts.findLastIndex((start) => start <= match.index) + 1
      return `${file}:${line}: ${match[0]}`
    }),
  )
}

const root = join(import.meta.dirname, '..')
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /(?:\.(?:ts|tsx|mjs|md|css|html)|^\.env\.example|^package\.json)$/.test(file))
  .filter((file) => existsSync(join(root, file)) && !exempt.some((pattern) => pattern.test(file)))

describe('a phrase that docs/voice.md rules out', () => {
  test.each(phrases)('%s is found', (phrase, sentence) => {
    expect(sentence.match(phrase)).toHaveLength(1)
  })

  test('is reported with its file and line', () => {
    const comment = '/**\n * There is a key, which is\n * no secret. It has no effect.\n */'
    expect(findings('lib/sample.ts', comment)).toEqual(['lib/sample.ts:2: is no secret'])
    expect(findings('docs/sample.md', 'It is no longer valid.\nCan not be read.')).toEqual([
      'docs/sample.md:2: Can not',
    ])
  })

  test('does not occur in the project', () => {
    const found = files.flatMap((file) => findings(file, readFileSync(join(root, file), 'utf8')))
    expect(found).toEqual([])
  })
})
