/** The label of something in progress: "Saving…". */
export type InProgress = `${string}…`
