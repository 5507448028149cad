/** A desktop agent on an official client. It knows only the address of the MCP server, and keeps what it learns. */
export interface OfficialAgent extends AsyncDisposable {
  /** The names of the tools. */
  listTools(): Promise<string[]>;
  /** Calls a tool. Returns the page that a person has to open first, or undefined if the tool has succeeded. */
  call(): Promise<string | undefined>;
  /** Exchanges the code, once the person has allowed the agent. */
  finishSignIn(): Promise<void>;
  /** The refresh token that it keeps. */
  refreshToken(): string | undefined;
  /** Makes its access token one that has expired. */
  expire(): Promise<void>;
  /** Goes on in a new process, or a new client, with what it keeps. */
  restart(): Promise<void>;
}
