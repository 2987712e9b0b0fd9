import { formatNumber } from '#components/language/formats.ts'
import * as t from '#components/texts/forms/en.ts'
import { limits } from '#lib/limits.ts'
import { isJustification } from '#lib/rules/justification.ts'

const { min, max, different } = limits.justification

export const justificationHint = (): string => t.justificationHint({ min, max: formatNumber(max) })

/** Why `text` doesn't justify showing sensitive values, or undefined when it does. The API has the same rule (lib/rules). */
export const whyNotJustification = (text: string): string | undefined =>
  isJustification(text) ? undefined : t.justificationRule({ min, max: formatNumber(max), different })
