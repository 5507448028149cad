// WEBHOOK_SECRET=whsec_… PORT=3000 go run verify.go
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

type event struct {
	ID        string          `json:"id"`
	Type      string          `json:"type"`
	Timestamp string          `json:"timestamp"`
	OrgID     string          `json:"org_id"`
	Data      json.RawMessage `json:"data"`
}

// In production, use a unique key in your database, written together with what the event changes there.
var handled sync.Map

func main() {
	webhook, err := standardwebhooks.NewWebhook(os.Getenv("WEBHOOK_SECRET"))
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("POST /hook", func(response http.ResponseWriter, request *http.Request) {
		// The exact bytes that were signed: parsed and printed again they would be others.
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return
		}
		var received event
		if webhook.Verify(body, request.Header) != nil || json.Unmarshal(body, &received) != nil {
			http.Error(response, "This is not from Webkiln, or it is older than five minutes.", http.StatusBadRequest)
			return
		}
		if _, repeated := handled.LoadOrStore(received.ID, true); !repeated {
			fmt.Println("handled", received.Type, received.ID)
		}
		response.WriteHeader(http.StatusNoContent)
	})
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening on", listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.Serve(listener, nil))
}
