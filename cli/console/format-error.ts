/** The framework's output differs from what the build of the console supports. The message states the difference. */
export class FormatError extends Error {
  constructor(difference: string) {
    super(
      `The output of next build has changed: ${difference}. Adapt cli/console/ to it (docs/decisions/0022-next-is-a-build-tool.md).`,
    )
  }
}

/** Throws FormatError with the difference unless `expected` is true. */
export function check(expected: boolean, difference: string): asserts expected {
  if (!expected) throw new FormatError(difference)
}
