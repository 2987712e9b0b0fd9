/** The framework wrote something that the build of the console does not know. The message states what differs. */
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
