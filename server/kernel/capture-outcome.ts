/** What became of it, to be asked for later: the function gives the value or throws the error. */
export const settled = <T>(promise: Promise<T>): Promise<() => T> =>
  promise.then(
    (value) => () => value,
    (error: unknown) => () => {
      throw error
    },
  )
