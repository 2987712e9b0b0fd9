/** Settles a promise without throwing: the returned function returns the value or throws the error later. */
export const captureOutcome = <T>(promise: Promise<T>): Promise<() => T> =>
  promise.then(
    (value) => () => value,
    (error: unknown) => () => {
      throw error
    },
  )
