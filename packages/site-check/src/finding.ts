export type RuleName =
  | 'html-parses'
  | 'index-exists'
  | 'link-exists'
  | 'anchor-exists'
  | 'asset-exists'
  | 'safe-link'
  | 'image-text'
  | 'unique-id'
  | 'one-heading'
  | 'input-label'
  | 'page-language'
  | 'page-direction'
  | 'page-title'
  | 'foreign-origin'
  | 'size-limit';

/** One problem of a site. `message` is a sentence that says what to fix; `line` counts from 1. */
export interface Finding {
  readonly path: string;
  readonly rule: RuleName;
  readonly message: string;
  readonly line?: number;
}
