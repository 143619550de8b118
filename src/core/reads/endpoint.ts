import type { ParseParam, PlainParam } from './param-text.ts'
import type { Is, PatternOf } from './pattern.ts'

export interface Param<Name extends string = string, Value = unknown, Required extends boolean = boolean>
  extends PlainParam<Name, Required>,
    Is<Value> {
  readonly parse: ParseParam
}

/**
 * A field of a reply that must equal a parameter of the question. Otherwise the reply answers
 * another question.
 */
export interface RepeatedParam {
  readonly member: readonly string[]
  readonly param: string
}

/** How a read is asked and answered: what a scan, this daemon and its client have in common. */
export interface Endpoint<
  Value = unknown,
  Given extends readonly Param[] = readonly Param[],
  Body = unknown,
> {
  readonly method: 'GET' | 'POST'
  readonly base?: ''
  /** The path at which the daemon serves the read, and asks scans unless the row has `forms`. */
  readonly scanPath: string
  readonly params: Given
  /** The body that callers give. */
  readonly body?: PatternOf<Body>
  /** The body of every request to a scan, if callers give none. */
  readonly upstreamBody?: string
  /**
   * The fields of a reply that the vote covers. Unknown fields are dropped, and absent fields get
   * their default, which is mostly null.
   */
  readonly reply: PatternOf<Value>
  readonly repeats?: RepeatedParam
}

/** The path at which the daemon serves the read, as most scans do. */
export function pathOf({ base, scanPath }: Pick<Endpoint, 'base' | 'scanPath'>): string {
  return `${base ?? '/api/scan'}${scanPath}`
}

interface EndpointParts<Value, Given, Body> extends Pick<Endpoint, 'base' | 'upstreamBody' | 'repeats'> {
  readonly params?: Given
  readonly body?: PatternOf<Body>
  readonly reply: PatternOf<Value>
}

export function get<Value, const Given extends readonly Param[] = readonly []>(
  scanPath: string,
  parts: EndpointParts<Value, Given, never>,
): Endpoint<Value, Given, never> {
  return { method: 'GET', scanPath, params: [] as readonly Param[] as Given, ...parts }
}

export function post<Value, const Given extends readonly Param[] = readonly [], Body = never>(
  scanPath: string,
  parts: EndpointParts<Value, Given, Body>,
): Endpoint<Value, Given, Body> {
  return { method: 'POST', scanPath, params: [] as readonly Param[] as Given, ...parts }
}
