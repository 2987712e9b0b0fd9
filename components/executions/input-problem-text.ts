import * as t from '#components/texts/input-problems/en.ts'
import type { InputProblem } from '#lib/rules/manifest/input-schema.ts'

/** Why a value is not what the manifest describes, in the language of the page. */
export const inputProblemText = ({ rule, expected }: Pick<InputProblem, 'rule' | 'expected'>): string =>
  // The case of a message can't have a hyphen.
  t.problem({ rule, expected: rule === 'format' ? expected.replaceAll('-', '_') : expected })
