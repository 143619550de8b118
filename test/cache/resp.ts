export const bulk = (text: string): string => `$${Buffer.byteLength(text)}\r\n${text}\r\n`
