// Must parse on Node 20: commands read their arguments before the pinned Node runs.

/**
 * What is wrong with arguments that `parseArgs` of Node refused, in a sentence for the person who typed them: its own texts
 * explain how to write a program. Undefined for every other error.
 * @param {unknown} error
 * @returns {string | undefined}
 */
export function argumentError(error) {
  if (!(error instanceof Error) || !('code' in error) || !String(error.code).startsWith('ERR_PARSE_ARGS')) return
  const [, option] = /^Option '(?:-\w, )?(--?[\w-]+)[^']*' argument (?:missing|is ambiguous)/.exec(error.message) ?? []
  return option === undefined ? `${error.message.split('. ')[0]}.` : `${option} needs a value.`
}
