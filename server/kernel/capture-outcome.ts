/** The outcome of a promise, taken later: the function gives the value or throws the error. */
export const captureOutcome = <T>(promise: Promise<T>): Promise<() => T> =>
  promise.then(
    (value) => () => value,
    (error: unknown) => () => {
      throw error
    },
  )
